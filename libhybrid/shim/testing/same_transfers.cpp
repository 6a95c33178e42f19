// The transfers of same_transfers.c, from C++.
#include "same_transfers.c"
