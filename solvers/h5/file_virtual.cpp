// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/h5/file.hpp"

#ifdef KANAME_HAVE_HDF5

#include <algorithm>
#include <limits>

#include "solvers/h5/native.hpp"

namespace kaname::h5 {

void File::write_virtual(const std::string& name, const Dims& dims, const Dims& part_dims,
                         std::span<const VirtualPart> parts) {
    // The oldest format that has virtual datasets; what else is in the file stays as it is.
    H5Fset_libver_bounds(id_, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_attr_creation_order(properties.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    const double missing = std::numeric_limits<double>::quiet_NaN();
    H5Pset_fill_value(properties.get(), H5T_NATIVE_DOUBLE, &missing);
    const Handle space = dataspace(dims);
    const Handle part_space = dataspace(part_dims);
    std::vector<hsize_t> count(dims.size(), 1);
    std::copy(part_dims.begin(), part_dims.end(),
              count.end() - static_cast<std::ptrdiff_t>(part_dims.size()));
    for (const VirtualPart& part : parts) {
        if (part.start.size() != dims.size()) {
            throw Error(ErrorCode::InvalidArgument, place(path_, name) + "a part must start with " +
                                                        std::to_string(dims.size()) +
                                                        " indices, got " +
                                                        std::to_string(part.start.size()));
        }
        const std::vector<hsize_t> start(part.start.begin(), part.start.end());
        const Handle block(H5Scopy(space.get()), H5Sclose);
        if (H5Sselect_hyperslab(block.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                nullptr) < 0 ||
            H5Pset_virtual(properties.get(), block.get(), part.file.c_str(), part.dataset.c_str(),
                           part_space.get()) < 0) {
            cannot_write(path_, name);
        }
    }
    const Handle set(H5Dcreate2(id_, name.c_str(), H5T_IEEE_F64LE, space.get(), H5P_DEFAULT,
                                properties.get(), H5P_DEFAULT),
                     H5Dclose);
    if (!set) {
        cannot_write(path_, name);
    }
}

}  // namespace kaname::h5

#endif
