// The header is all there is.
#include "CLinux.h"
