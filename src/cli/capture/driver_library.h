#pragma once

namespace warpsight {

// Whether programs on this machine find an NVIDIA driver. Nothing of it is called.
bool HasNvidiaDriver();

}  // namespace warpsight
