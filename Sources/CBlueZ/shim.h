// What libbluetooth declares, in the order in which its headers need each other.
#pragma once
#include <sys/socket.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
