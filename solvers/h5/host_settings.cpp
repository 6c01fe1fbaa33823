// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/h5/host_settings.hpp"

#ifdef KANAME_HAVE_HDF5
#include "solvers/h5/native.hpp"
#endif

namespace kaname::h5 {

#ifdef KANAME_HAVE_HDF5

struct HostSettings::Kept {
    unsigned int plugins = 0;
    H5E_auto2_t print = nullptr;
    void* told = nullptr;
};

HostSettings::HostSettings() : kept_(std::make_unique<Kept>()) {
    H5PLget_loading_state(&kept_->plugins);
    H5Eget_auto2(H5E_DEFAULT, &kept_->print, &kept_->told);
}

HostSettings::~HostSettings() {
    H5PLset_loading_state(kept_->plugins);
    H5Eset_auto2(H5E_DEFAULT, kept_->print, kept_->told);
}

#else

struct HostSettings::Kept {};
HostSettings::HostSettings() = default;
HostSettings::~HostSettings() = default;

#endif

}  // namespace kaname::h5
