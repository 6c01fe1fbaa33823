// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifdef KANAME_HAVE_HDF5

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <hdf5.h>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/h5/handle.hpp"

/// This header has what datasets and attributes share; only sources of this folder include it.
namespace kaname::h5 {

template <typename T>
hid_t native_type() {
    if constexpr (std::is_same_v<T, float>) {
        return H5T_NATIVE_FLOAT;
    } else if constexpr (std::is_same_v<T, double>) {
        return H5T_NATIVE_DOUBLE;
    } else if constexpr (std::is_same_v<T, std::int8_t>) {
        return H5T_NATIVE_INT8;
    } else if constexpr (std::is_same_v<T, std::uint8_t>) {
        return H5T_NATIVE_UINT8;
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
        return H5T_NATIVE_INT32;
    } else {
        static_assert(std::is_same_v<T, std::int64_t>);
        return H5T_NATIVE_INT64;
    }
}

inline Handle string_type() {
    Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), H5T_VARIABLE);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    return type;
}

inline Handle dataspace(const Dims& dims) {
    if (dims.empty()) {
        return {H5Screate(H5S_SCALAR), H5Sclose};
    }
    const std::vector<hsize_t> extent(dims.begin(), dims.end());
    return {H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose};
}

/// How an error's message begins: "<file>: '<dataset, or object@attribute>': ".
inline std::string place(const std::string& path, const std::string& name) {
    return path + ": '" + name + "': ";
}

[[noreturn]] inline void cannot_write(const std::string& path, const std::string& name) {
    throw Error(ErrorCode::Unavailable, place(path, name) + "cannot be written (disk full?)");
}

inline void expect_variable_strings(hid_t type, const std::string& where) {
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) <= 0) {
        throw Error(ErrorCode::InvalidArgument, where + "must hold variable-length strings");
    }
}

}  // namespace kaname::h5

#endif
