#include <stdint.h>

// The data of ICU, empty: no languages, calendars or character names.
//
// GRDB imports Foundation, and Foundation links 34 MB of this data into every static program. Nothing here uses it: names are
// normalized by utf8proc, dates are written by our own code. A definition in the program comes before the one in Foundation's
// library, which is then left out. The layout is that of ICU's own "stubdata": a header and a table of contents without entries.
// The number in the name is ICU's release in the Swift toolchain; with another release the program is larger, and works.
_Alignas(16) const struct {
    uint16_t headerSize;
    uint8_t magic[2];
    uint16_t infoSize, reserved;
    uint8_t isBigEndian, charsetFamily, sizeofUChar, reservedByte;
    uint8_t dataFormat[4], formatVersion[4], dataVersion[4];
    uint8_t padding[8];
    uint32_t entries, reservedEntries;
    uint32_t names[4];
} icudt76_dat = {
    .headerSize = 32,
    .magic = {0xda, 0x27},
    .infoSize = 20,
    .isBigEndian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
    .sizeofUChar = 2,
    .dataFormat = {'T', 'o', 'C', 'P'},
    .formatVersion = {1, 0, 0, 0},
};
