/*
 * postings.c -- full-text search in an inverted index
 *
 * Each PE keeps the posting lists of some words: which documents a word is in,
 * and how often.  Frequent words have long lists, rare ones short ones.  A PE
 * corrects the spelling of a query, asks the directory by blocking gets, gets
 * the lists of all words at the same time without blocking, and intersects and
 * ranks them.  It reads the titles of the best documents.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORDS 1600 /* in the dictionary */
#define LETTERS 9  /* of a word at most */
#define DOCS 6000
#define ROOM 120000 /* postings on one PE at most */
#define LONGEST 2000
#define TERMS 3 /* of a query */
#define BEST 3  /* documents whose titles are read */
#define TITLE 240

struct Entry { /* of the directory */
    long offset, count;
};

static struct Entry directory[WORDS]; /* word w is on PE w % npes, at w / npes */
static unsigned int postings[ROOM];   /* document * 16 + how often the word is in it */
static char titles[DOCS][TITLE];      /* document d is on PE d % npes, at d / npes */
static int titleLength[DOCS];

static char dictionary[WORDS][LETTERS + 1];
static unsigned int list[TERMS][LONGEST];

static unsigned int mix(unsigned int a, unsigned int b)
{
    unsigned int h = a * 2654435761u ^ (b + 0x9e3779b9u) * 2246822519u;

    h = (h ^ h >> 15) * 2246822519u;
    h = (h ^ h >> 13) * 3266489917u;
    return h ^ h >> 16;
}

static double nowMs(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* how often a document has a word: the lower its number, the more frequent is the word */
static unsigned int frequency(int doc, int word)
{
    unsigned int h = mix((unsigned int)doc, (unsigned int)word);

    return (h & 0xffff) < 400 + 24000u / (unsigned int)(1 + word / 4) ? 1 + (h >> 16) % 15 : 0;
}

/* words of 5 to 9 letters, the first three of which are different from word to word */
static void makeDictionary(void)
{
    int w, i;

    for (w = 0; w < WORDS; w++) {
        int length = 5 + (int)(mix((unsigned int)w, 1) % 5), number = w;
        for (i = 0; i < length; i++, number /= 26)
            dictionary[w][i] = (char)('a' + (i < 3 ? number % 26 : (int)(mix(w, i + 2) % 26)));
    }
}

/* edit distance */
static int distance(const char *a, const char *b)
{
    int row[LETTERS + 2], i, j, diagonal, best;

    for (j = 0; b[j] != '\0'; j++)
        row[j] = j;
    row[j] = j;
    for (i = 0; a[i] != '\0'; i++) {
        diagonal = row[0];
        row[0] = i + 1;
        for (j = 0; b[j] != '\0'; j++) {
            best = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            best = best <= row[j] ? best : row[j] + 1;
            row[j + 1] = best <= diagonal ? best : diagonal + 1;
        }
    }
    return row[j];
}

/* the most similar word of the dictionary, the first of them */
static int correct(const char *typed)
{
    int w, best = 0, least = LETTERS + 1, length = (int)strlen(typed);

    for (w = 0; w < WORDS; w++) {
        int d = abs((int)strlen(dictionary[w]) - length);
        if (d < least && (d = distance(typed, dictionary[w])) < least) {
            least = d;
            best = w;
        }
    }
    return best;
}

static int buildIndex(int me, int npes)
{
    int w, d, used = 0;

    for (w = me; w < WORDS; w += npes) {
        struct Entry *entry = &directory[w / npes];
        entry->offset = used;
        for (d = 0; d < DOCS; d++) {
            unsigned int often = frequency(d, w);
            if (often > 0 && used < ROOM && used - entry->offset < LONGEST)
                postings[used++] = (unsigned int)d * 16 + often;
        }
        entry->count = used - entry->offset;
    }
    for (d = me; d < DOCS; d += npes) {
        int length = 8 + (int)(mix((unsigned int)d, 77) % (TITLE - 8));
        memset(titles[d / npes], 'A' + d % 26, (size_t)length);
        titleLength[d / npes] = length;
    }
    return used;
}

int main(int argc, char *argv[])
{
    int steps = 450, me, npes, q, t, i, bad = 0, used;
    long hits = 0, gotPostings = 0;
    double began;

    for (i = 1; i < argc; i++)
        if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            steps = atoi(argv[++i]);

    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    makeDictionary();
    used = buildIndex(me, npes);
    bad += used >= ROOM;
    shmem_barrier_all();
    began = nowMs();

    for (q = 0; q < steps; q++) {
        int word[TERMS], pos[TERMS] = {0}, found = 0, bestDoc[BEST], shortest = 0;
        double bestScore[BEST], rarity[TERMS];
        struct Entry entry[TERMS];

        for (t = 0; t < TERMS; t++) {
            char typed[LETTERS + 1];
            unsigned int h = mix((unsigned int)(q * TERMS + t), (unsigned int)me + 100);
            /* the first word is a frequent one; each has a wrong letter, but not at its start */
            int meant = (int)(t == 0 ? h % 24 : h % WORDS);
            strcpy(typed, dictionary[meant]);
            typed[3 + (h >> 12) % (strlen(typed) - 3)] = (char)('a' + (h >> 20) % 26);
            word[t] = correct(typed);
            bad += distance(typed, dictionary[word[t]]) > 1;
            shmem_getmem(&entry[t], &directory[word[t] / npes], sizeof(struct Entry),
                         word[t] % npes);
        }
        for (t = 0; t < TERMS; t++) {
            if (entry[t].count > 0)
                shmem_uint_get_nbi(list[t], &postings[entry[t].offset], (size_t)entry[t].count,
                                   word[t] % npes);
            gotPostings += entry[t].count;
            if (entry[t].count < entry[shortest].count)
                shortest = t;
            rarity[t] = log((double)DOCS / (1.0 + (double)entry[t].count));
        }
        shmem_quiet();

        /* documents with at least the rarest word and one other one */
        for (i = 0; i < entry[shortest].count; i++) {
            int doc = (int)(list[shortest][i] / 16), matches = 0, place;
            double score = 0;
            for (t = 0; t < TERMS; t++) {
                while (pos[t] < entry[t].count && (int)(list[t][pos[t]] / 16) < doc)
                    pos[t]++;
                if (pos[t] < entry[t].count && (int)(list[t][pos[t]] / 16) == doc) {
                    double often = list[t][pos[t]] % 16;
                    bad += frequency(doc, word[t]) != list[t][pos[t]] % 16;
                    matches++;
                    score += rarity[t] * often * 2.2 / (often + 1.2);
                }
            }
            if (matches < 2)
                continue;
            hits++;
            for (place = found < BEST ? found++ : BEST; place > 0 && bestScore[place - 1] < score;
                 place--)
                if (place < BEST) {
                    bestScore[place] = bestScore[place - 1];
                    bestDoc[place] = bestDoc[place - 1];
                }
            if (place < BEST) {
                bestScore[place] = score;
                bestDoc[place] = doc;
            }
        }
        for (i = 0; i < found; i++) {
            char title[TITLE];
            int at = bestDoc[i] / npes, owner = bestDoc[i] % npes;
            int length = shmem_int_g(&titleLength[at], owner);
            shmem_getmem(title, titles[at], (size_t)length, owner);
            bad += title[0] != 'A' + bestDoc[i] % 26 || title[length - 1] != title[0];
        }
        if (q % 16 == 0) { /* is the whole list of the rarest word right? */
            int count = 0;
            for (i = 0; i < DOCS; i++)
                count += frequency(i, word[shortest]) > 0;
            bad += count != entry[shortest].count;
        }
    }

    shmem_barrier_all();
    printf("postings: PE %d, %d queries, %d postings here, got %ld, %ld hits, %.1f ms, %s\n", me,
           steps, used, gotPostings, hits, nowMs() - began, bad ? "FAILED" : "ok");
    shmem_barrier_all();
    shmem_finalize();
    return bad != 0;
}
