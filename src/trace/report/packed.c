#include "trace/report/packed.h"

#include "base/memory.h"

void packed_byte(struct packed *packed, unsigned char byte)
{
    if (packed->count == packed->room) {
        packed->room = 2 * packed->room + 4096;
        packed->bytes = memory_resize(packed->bytes, packed->room);
    }
    packed->bytes[packed->count++] = byte;
}

void packed_number(struct packed *packed, uint64_t number)
{
    for (; number > 127; number >>= 7)
        packed_byte(packed, (unsigned char)(128 | (number & 127)));
    packed_byte(packed, (unsigned char)number);
}

uint64_t packed_write(struct packed *packed, FILE *out)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint64_t at = packed->written;
    for (size_t i = 0; i < packed->count; i += 3) {
        size_t rest = packed->count - i;
        uint32_t group = (uint32_t)packed->bytes[i] << 16;
        group |= rest > 1 ? (uint32_t)packed->bytes[i + 1] << 8 : 0;
        group |= rest > 2 ? packed->bytes[i + 2] : 0;
        const char four[4] = {letters[group >> 18], letters[group >> 12 & 63],
                              rest > 1 ? letters[group >> 6 & 63] : '=',
                              rest > 2 ? letters[group & 63] : '='};
        fwrite(four, 1, sizeof four, out);
    }
    packed->written += (packed->count + 2) / 3 * 4;
    packed->count = 0;
    return at;
}
