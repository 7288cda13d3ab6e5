// The files of the page, inside the program. In C, because its compiler embeds a file at once: SwiftPM's .embedInCode takes a minute for them.
#pragma once

/// A file of the folder Assets.
struct page_file {
    /// Its name in the folder; NULL after the last file.
    const char *name;
    /// Its content and a zero byte.
    const unsigned char *text;
};

/// All files of the page, up to one without a name.
const struct page_file *page_files(void);
