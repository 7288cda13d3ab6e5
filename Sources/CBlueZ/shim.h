// What libbluetooth declares, in the order in which its headers need each other.
#pragma once
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>

// Resets the adapter numbered `device`, which is on: ioctl is variadic, which Swift does not import. Returns 0, or -1 with errno.
static inline int hci_device_reset(int socket, int device) { return ioctl(socket, HCIDEVRESET, device); }
