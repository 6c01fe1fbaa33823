// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>

#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"

#ifdef KANAME_HAVE_HDF5
#include "solvers/h5/native.hpp"
#endif

namespace kaname::h5 {

#ifdef KANAME_HAVE_HDF5

namespace {

/// HDF5 reads "%b" in a source's name as the number of a block.
std::string literal_name(const std::string& name) {
    std::string text;
    for (const char c : name) {
        text += c == '%' ? std::string("%%") : std::string(1, c);
    }
    return text;
}

void write_view(hid_t file, const std::string& path, const File& source,
                const std::string& source_name, const View& view) {
    const Dims dims = source.dims(view.dataset);
    if (view.first.size() > dims.size()) {
        throw Error(ErrorCode::InvalidArgument, place(source.path(), view.dataset) + "must have " +
                                                    std::to_string(view.first.size()) +
                                                    " axes or more");
    }
    const auto leading = static_cast<std::ptrdiff_t>(view.first.size());
    std::vector<hsize_t> start(dims.size(), 0), count(dims.begin(), dims.end());
    for (std::size_t axis = 0; axis < view.first.size(); ++axis) {
        if (view.first[axis] >= dims[axis]) {
            throw Error(ErrorCode::InvalidArgument,
                        place(source.path(), view.dataset) + "must have an index " +
                            std::to_string(view.first[axis]) + " of axis " + std::to_string(axis));
        }
        start[axis] = view.first[axis];
        count[axis] = 1;
    }
    const Handle part(dataspace(dims));
    const Handle whole(dataspace(Dims(dims.begin() + leading, dims.end())));
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links.get(), 1);
    const float missing = std::numeric_limits<float>::quiet_NaN();
    H5Pset_fill_value(properties.get(), H5T_NATIVE_FLOAT, &missing);
    if (H5Sselect_hyperslab(part.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                            nullptr) < 0 ||
        H5Pset_virtual(properties.get(), whole.get(), literal_name(source_name).c_str(),
                       view.dataset.c_str(), part.get()) < 0) {
        cannot_write(path, view.name);
    }
    const Handle made(H5Dcreate2(file, view.name.c_str(), H5T_IEEE_F32LE, whole.get(), links.get(),
                                 properties.get(), H5P_DEFAULT),
                      H5Dclose);
    if (!made) {
        cannot_write(path, view.name);
    }
}

}  // namespace

void write_views(const std::string& path, const File& source, const std::string& source_name,
                 std::span<const View> views) {
    const std::string part = path + ".part";
    try {
        const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
        // The oldest format that has virtual datasets.
        H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
        Handle file(H5Fcreate(part.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
        if (!file) {
            cannot_write(path, "/");
        }
        for (const View& view : views) {
            write_view(file.get(), path, source, source_name, view);
        }
        if (H5Fclose(file.release()) < 0) {
            cannot_write(path, "/");
        }
        if (std::rename(part.c_str(), path.c_str()) != 0) {
            throw Error(ErrorCode::Unavailable,
                        path + ": cannot be put in place: " + std::strerror(errno));
        }
    } catch (...) {
        ::unlink(part.c_str());
        throw;
    }
}

#else

void write_views(const std::string& path, const File&, const std::string&, std::span<const View>) {
    throw Error(ErrorCode::Unavailable, path + ": views need a build with HDF5");
}

#endif

}  // namespace kaname::h5
