// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/virtual_hdf5.hpp"

#ifdef KANAME_HAVE_HDF5

#include <hdf5.h>

namespace kaname::test {

h5::Dims dims_in_hdf5(const std::string& path, const std::string& name) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t set = file < 0 ? -1 : H5Dopen2(file, name.c_str(), H5P_DEFAULT);
    h5::Dims dims = {0};
    if (set >= 0) {
        const hid_t space = H5Dget_space(set);
        std::vector<hsize_t> extent(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
        H5Sget_simple_extent_dims(space, extent.data(), nullptr);
        dims.assign(extent.begin(), extent.end());
        H5Sclose(space);
        H5Dclose(set);
    }
    if (file >= 0) {
        H5Fclose(file);
    }
    return dims;
}

std::vector<float> values_in_hdf5(const std::string& path, const std::string& name) {
    std::size_t n = 1;
    for (const std::uint64_t extent : dims_in_hdf5(path, name)) {
        n *= extent;
    }
    std::vector<float> values(n);
    if (n > 0) {
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        const hid_t set = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
        if (H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
            values.clear();
        }
        H5Dclose(set);
        H5Fclose(file);
    }
    return values;
}

}  // namespace kaname::test

#else

namespace kaname::test {

h5::Dims dims_in_hdf5(const std::string&, const std::string&) {
    return {0};
}
std::vector<float> values_in_hdf5(const std::string&, const std::string&) {
    return {};
}

}  // namespace kaname::test

#endif
