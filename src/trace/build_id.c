/* Finds build ids in notes of ELF. */
#include "trace/build_id.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#define NOTES_MOST_BYTES 4096
#define SEGMENTS_MOST 64

void build_id_take(struct build_id *id, const void *notes, size_t bytes, size_t alignment)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *at = notes, *end = at + bytes;
    const size_t align = alignment == 8 ? 8 : 4;
    ElfW(Nhdr) note;
    while ((size_t)(end - at) >= sizeof note) {
        memcpy(&note, at, sizeof note);
        at += sizeof note;
        size_t name = ((size_t)note.n_namesz + align - 1) / align * align;
        size_t content = ((size_t)note.n_descsz + align - 1) / align * align;
        if (name > (size_t)(end - at) || note.n_descsz > (size_t)(end - at) - name)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
            memcmp(at, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0 && note.n_descsz <= BUILD_ID_BYTES) {
            for (size_t i = 0; i < note.n_descsz; i++) {
                id->text[2 * i] = digits[at[name + i] >> 4];
                id->text[2 * i + 1] = digits[at[name + i] & 15];
            }
            id->text[2 * note.n_descsz] = '\0';
            return;
        }
        if (content > (size_t)(end - at) - name)
            return;
        at += name + content;
    }
}

struct build_id build_id_of_file(const char *path)
{
    struct build_id id = {""};
    ElfW(Ehdr) head;
    ElfW(Phdr) segments[SEGMENTS_MOST];
    unsigned char notes[NOTES_MOST_BYTES];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return id;
    if (pread(file, &head, sizeof head, 0) == (ssize_t)sizeof head &&
        memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_phentsize == sizeof *segments &&
        head.e_phnum <= SEGMENTS_MOST) {
        size_t bytes = head.e_phnum * sizeof *segments, count = head.e_phnum;
        if (pread(file, segments, bytes, (off_t)head.e_phoff) != (ssize_t)bytes)
            count = 0;
        for (size_t i = 0; i < count; i++)
            if (segments[i].p_type == PT_NOTE && segments[i].p_filesz <= sizeof notes &&
                pread(file, notes, segments[i].p_filesz, (off_t)segments[i].p_offset) ==
                    (ssize_t)segments[i].p_filesz)
                build_id_take(&id, notes, segments[i].p_filesz, segments[i].p_align);
    }
    close(file);
    return id;
}
