#pragma once

#include <span>

#include "server/assets.h"

namespace warpsight::server {

// Written by cmake/embed_assets.py.
std::span<const Asset> EmbeddedAssets();

}  // namespace warpsight::server
