// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

namespace kaname::h5 {

/// HostSettings keeps the settings of HDF5's library that reading a file changes for the whole
/// process, how errors are printed and which plugins are loaded, and puts them back when it ends:
/// for a library in a program that uses HDF5 itself.
class HostSettings {
public:
    HostSettings();
    ~HostSettings();
    HostSettings(const HostSettings&) = delete;
    HostSettings& operator=(const HostSettings&) = delete;

private:
    struct Kept;
    std::unique_ptr<Kept> kept_;
};

}  // namespace kaname::h5
