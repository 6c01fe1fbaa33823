// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifdef KANAME_HAVE_HDF5

#include <utility>

#include <hdf5.h>

namespace kaname::h5 {

/// Move-only owner of one HDF5 identifier. For the sources of this folder only.
class Handle {
public:
    using Closer = herr_t (*)(hid_t);
    Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
    ~Handle() {
        if (id_ >= 0) {
            closer_(id_);
        }
    }
    Handle(Handle&& other) noexcept
        : id_(std::exchange(other.id_, H5I_INVALID_HID)), closer_(other.closer_) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(closer_, other.closer_);
        return *this;
    }

    [[nodiscard]] hid_t get() const { return id_; }
    [[nodiscard]] explicit operator bool() const { return id_ >= 0; }
    /// Gives the identifier away, to be closed by who takes it.
    [[nodiscard]] hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }

private:
    hid_t id_;
    Closer closer_;
};

}  // namespace kaname::h5

#endif
