/* Last words of PEs: who keeps connecting without a word does not keep PE 0 waiting beyond its
 * time. */
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "crash/last_words.h"
#include "unit/unit.h"

static atomic_bool over;
static atomic_long connected;

static void *keep_connecting(void *place)
{
    struct sockaddr_storage address = {0};
    memcpy(&address, place, sizeof((struct last_words_place *)0)->addresses[0].bytes);
    socklen_t size =
        address.ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    while (!over) {
        int descriptor = socket(address.ss_family, SOCK_STREAM, 0);
        if (connect(descriptor, (struct sockaddr *)&address, size) == 0)
            connected++;
        close(descriptor);
    }
    return NULL;
}

TEST(ends)
{
    struct last_words_place place;
    pthread_t stranger;
    char text[LAST_WORDS_LONGEST];
    int status;
    last_words_listen(&place);
    if (place.count == 0) {
        last_words_close();
        skip(); /* there is no interface apart from the loopback */
    }
    assert_int_equal(pthread_create(&stranger, NULL, keep_connecting, place.addresses[0].bytes), 0);
    while (connected < 3)
        usleep(1000);
    assert_int_equal(last_words_receive(0.3, &status, text, sizeof text), -1);
    over = true;
    pthread_join(stranger, NULL);
    last_words_know(&place, 7);
    last_words_send(3, "the end");
    int pe = -1; /* behind strangers that still wait in the queue */
    for (int i = 0; i < 100 && pe < 0; i++)
        pe = last_words_receive(0.3, &status, text, sizeof text);
    assert_int_equal(pe, 7);
    assert_int_equal(status, 3);
    assert_string_equal(text, "the end");
    last_words_close();
}
