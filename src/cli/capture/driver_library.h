#pragma once

namespace warpsight {

// Whether programs on this machine can find an NVIDIA driver. No driver function is called.
bool HasNvidiaDriver();

}  // namespace warpsight
