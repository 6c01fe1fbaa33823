// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/h5/file.hpp"

#ifdef KANAME_HAVE_HDF5

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <new>
#include <numeric>
#include <type_traits>
#include <utility>

#include <hdf5.h>
#include <hdf5_hl.h>

#include "solvers/base/error.hpp"
#include "solvers/h5/handle.hpp"
#include "solvers/h5/native.hpp"
#include "solvers/h5/self_contained.hpp"

static_assert(std::is_same_v<hid_t, std::int64_t>, "File stores hid_t as int64");

namespace kaname::h5 {
namespace {

void check_write(herr_t status, const std::string& path, const std::string& name) {
    if (status < 0) {
        cannot_write(path, name);
    }
}

Handle create_dataset(hid_t file, const std::string& path, const std::string& name, hid_t type,
                      const Dims& dims, const Dims& chunk) {
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    // Attributes in the order of writing, which netCDF-4 expects to be able to follow.
    H5Pset_attr_creation_order(properties.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    if (!chunk.empty()) {
        const std::vector<hsize_t> extent(chunk.begin(), chunk.end());
        H5Pset_chunk(properties.get(), static_cast<int>(extent.size()), extent.data());
    }
    const Handle space = dataspace(dims);
    const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links.get(), 1);
    Handle set(H5Dcreate2(file, name.c_str(), type, space.get(), links.get(), properties.get(),
                          H5P_DEFAULT),
               H5Dclose);
    if (!set) {
        cannot_write(path, name);
    }
    return set;
}

void create_and_write(hid_t file, const std::string& path, const std::string& name, hid_t type,
                      const Dims& dims, const Dims& chunk, const void* data) {
    const Handle set = create_dataset(file, path, name, type, dims, chunk);
    check_write(H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), path, name);
}

Handle open_dataset(hid_t file, const std::string& path, const std::string& name) {
    Handle set(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!set) {
        throw Error(ErrorCode::InvalidArgument, place(path, name) + "no such dataset");
    }
    return set;
}

std::string to_text(const Dims& dims) {
    std::string text = "[";
    for (const std::uint64_t extent : dims) {
        text += (text.size() > 1 ? ", " : "") +
                (extent == kAny ? std::string("any") : std::to_string(extent));
    }
    return text + "]";
}

std::uint64_t product(const Dims& dims) {
    return std::accumulate(dims.begin(), dims.end(), std::uint64_t{1}, std::multiplies<>());
}

/// Room for the values of a shape. A file of a few bytes may name one that no memory holds, or one
/// of which it stores nothing.
template <typename T>
std::vector<T> room_for(hid_t file, hid_t set, const std::string& where, const Dims& dims) {
    if (std::ranges::find(dims, std::uint64_t{0}) != dims.end()) {
        return {};
    }
    std::uint64_t n = 1;
    bool fits = true;
    for (const std::uint64_t extent : dims) {
        fits = fits && extent <= std::numeric_limits<std::uint64_t>::max() / n;
        n = fits ? n * extent : n;
    }
    try {
        if (fits && n <= std::vector<T>().max_size()) {
            expect_stored(file, set, where, n * sizeof(T));
            return std::vector<T>(n);
        }
    } catch (const std::bad_alloc&) {
    }
    throw Error(ErrorCode::InvalidArgument,
                where + "has shape " + to_text(dims) + ", more values than memory holds");
}

}  // namespace

bool available() {
    return true;
}

File::File(const std::string& path, Mode mode) : path_(path) {
    // Failures become kaname::Error; the library's own print-out is silenced.
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
    // Files are complete once they have their name, and many cluster file systems refuse locks.
    H5Pset_file_locking(access.get(), false, true);
#endif
    if (mode == Mode::Read) {
        std::error_code unknown;
        if (std::filesystem::is_directory(path, unknown)) {
            throw Error(ErrorCode::InvalidArgument,
                        path + ": is a folder: name a file in it, as greens.h5 or seismograms.h5");
        }
        if (!has_hdf5_signature(path)) {
            throw Error(ErrorCode::InvalidArgument, path + ": is not an HDF5 file");
        }
        forbid_plugins();
        Handle opened(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
        if (!opened) {
            // A file that is open in this process already, by h5py, has that one's settings.
            opened = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
        }
        if (!opened) {
            throw Error(ErrorCode::InvalidArgument, path + ": HDF5 file is truncated or damaged");
        }
        expect_self_contained(opened.get(), path);
        id_ = opened.release();
        return;
    }
    // Oldest format that can hold the content: readers of HDF5 1.8 open it.
    H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_link_creation_order(creation.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_attr_creation_order(creation.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    id_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get());
    if (id_ < 0) {
        throw Error(ErrorCode::Unavailable,
                    path + ": cannot be created (does its folder exist, is it writable?)");
    }
}

File::~File() {
    if (id_ >= 0) {
        H5Fclose(id_);
    }
}

File::File(File&& other) noexcept
    : path_(std::move(other.path_)), id_(std::exchange(other.id_, -1)) {}

File& File::operator=(File&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(id_, other.id_);
    return *this;
}

void File::close() {
    const hid_t id = std::exchange(id_, -1);
    const bool flushed = H5Fflush(id, H5F_SCOPE_GLOBAL) >= 0;
    if (H5Fclose(id) < 0 || !flushed) {
        throw Error(ErrorCode::Unavailable, path_ + ": cannot be completed (disk full?)");
    }
}

template <typename T>
void File::write(const std::string& name, std::span<const T> values, const Dims& dims,
                 const Dims& chunk) {
    if (values.size() != product(dims)) {
        throw Error(ErrorCode::InvalidArgument, place(path_, name) + "shape " + to_text(dims) +
                                                    " disagrees with " +
                                                    std::to_string(values.size()) + " values");
    }
    create_and_write(id_, path_, name, native_type<T>(), dims, chunk, values.data());
}

template <typename T>
void File::create(const std::string& name, const Dims& dims, const Dims& chunk) {
    (void)create_dataset(id_, path_, name, native_type<T>(), dims, chunk);
}

template <typename T>
void File::write_block(const std::string& name, std::span<const T> values, const Dims& start,
                       const Dims& count) {
    const Dims found = dims(name);
    bool inside = start.size() == found.size() && count.size() == found.size() &&
                  values.size() == product(count);
    for (std::size_t axis = 0; inside && axis < found.size(); ++axis) {
        inside = start[axis] <= found[axis] && count[axis] <= found[axis] - start[axis];
    }
    if (!inside) {
        throw Error(ErrorCode::InvalidArgument, place(path_, name) + "has shape " + to_text(found) +
                                                    ", which must hold the block from " +
                                                    to_text(start) + " of " + to_text(count) +
                                                    " with as many values, got " +
                                                    std::to_string(values.size()));
    }
    if (values.empty()) {
        return;
    }
    const Handle set = open_dataset(id_, path_, name);
    const Handle file_space(H5Dget_space(set.get()), H5Sclose);
    const std::vector<hsize_t> first(start.begin(), start.end());
    const std::vector<hsize_t> extent(count.begin(), count.end());
    const Handle memory_space = dataspace(count);
    check_write(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, first.data(), nullptr,
                                    extent.data(), nullptr),
                path_, name);
    check_write(H5Dwrite(set.get(), native_type<T>(), memory_space.get(), file_space.get(),
                         H5P_DEFAULT, values.data()),
                path_, name);
}

void File::write_strings(const std::string& name, std::span<const std::string> values) {
    write_strings(name, values, {values.size()});
}

void File::write_strings(const std::string& name, std::span<const std::string> values,
                         const Dims& dims) {
    if (values.size() != product(dims)) {
        throw Error(ErrorCode::InvalidArgument, place(path_, name) + "shape " + to_text(dims) +
                                                    " disagrees with " +
                                                    std::to_string(values.size()) + " values");
    }
    std::vector<const char*> pointers;
    pointers.reserve(values.size());
    for (const std::string& value : values) {
        pointers.push_back(value.c_str());
    }
    const Handle type = string_type();
    create_and_write(id_, path_, name, type.get(), dims, {}, pointers.data());
}

void File::make_scale(const std::string& dataset) {
    const Handle set = open_dataset(id_, path_, dataset);
    check_write(H5DSset_scale(set.get(), dataset.c_str()), path_, dataset);
}

void File::make_dimension(const std::string& name, std::uint64_t size) {
    // netCDF-4 writes and looks for this text; nothing is stored but it and the size.
    char text[80];
    std::snprintf(text, sizeof text, "This is a netCDF dimension but not a netCDF variable.%10llu",
                  static_cast<unsigned long long>(size));
    const Handle set = create_dataset(id_, path_, name, H5T_IEEE_F32BE, {size}, {});
    check_write(H5DSset_scale(set.get(), text), path_, name);
}

void File::attach_scale(const std::string& dataset, unsigned axis, const std::string& scale) {
    const Handle set = open_dataset(id_, path_, dataset);
    const Handle scale_set = open_dataset(id_, path_, scale);
    check_write(H5DSattach_scale(set.get(), scale_set.get(), axis), path_, dataset);
}

bool File::has(const std::string& name) const {
    return H5Lexists(id_, name.c_str(), H5P_DEFAULT) > 0;
}

Dims File::dims(const std::string& name) const {
    const Handle set = open_dataset(id_, path_, name);
    const Handle space(H5Dget_space(set.get()), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space.get());
    std::vector<hsize_t> extent(static_cast<std::size_t>(std::max(rank, 0)));
    H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
    return {extent.begin(), extent.end()};
}

template <typename T>
std::vector<T> File::read(const std::string& name) const {
    const Handle set = open_dataset(id_, path_, name);
    const Handle type(H5Dget_type(set.get()), H5Tclose);
    const H5T_class_t kind = H5Tget_class(type.get());
    if (kind != H5T_FLOAT && kind != H5T_INTEGER) {
        throw Error(ErrorCode::InvalidArgument, place(path_, name) + "must hold numbers");
    }
    std::vector<T> values = room_for<T>(id_, set.get(), place(path_, name), dims(name));
    if (H5Dread(set.get(), native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
        throw Error(ErrorCode::InvalidArgument,
                    place(path_, name) + "cannot be read: the file is truncated or damaged");
    }
    return values;
}

template <typename T>
std::vector<T> File::read(const std::string& name, const Dims& expected) const {
    const Dims found = dims(name);
    bool same = found.size() == expected.size();
    for (std::size_t axis = 0; same && axis < found.size(); ++axis) {
        same = expected[axis] == kAny || expected[axis] == found[axis];
    }
    if (!same) {
        throw Error(ErrorCode::InvalidArgument, place(path_, name) + "has shape " + to_text(found) +
                                                    ", must be " + to_text(expected));
    }
    return read<T>(name);
}

template <typename T>
std::vector<T> File::read_block(const std::string& name, const Dims& start, const Dims& count,
                                const Dims& stride) const {
    const Dims found = dims(name);
    bool inside = start.size() == found.size() && count.size() == found.size() &&
                  stride.size() == found.size();
    for (std::size_t axis = 0; inside && axis < found.size(); ++axis) {
        inside = stride[axis] > 0 &&
                 (count[axis] == 0 ||
                  (start[axis] < found[axis] &&
                   count[axis] - 1 <= (found[axis] - 1 - start[axis]) / stride[axis]));
    }
    if (!inside) {
        throw Error(ErrorCode::InvalidArgument, place(path_, name) + "has shape " + to_text(found) +
                                                    ", which must hold the block from " +
                                                    to_text(start) + " of " + to_text(count));
    }
    const Handle set = open_dataset(id_, path_, name);
    std::vector<T> values = room_for<T>(id_, set.get(), place(path_, name), count);
    if (values.empty()) {
        return values;
    }
    const Handle file_space(H5Dget_space(set.get()), H5Sclose);
    const std::vector<hsize_t> first(start.begin(), start.end());
    const std::vector<hsize_t> step(stride.begin(), stride.end());
    const std::vector<hsize_t> extent(count.begin(), count.end());
    const Handle memory_space(
        H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
    if (H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, first.data(), step.data(),
                            extent.data(), nullptr) < 0 ||
        H5Dread(set.get(), native_type<T>(), memory_space.get(), file_space.get(), H5P_DEFAULT,
                values.data()) < 0) {
        throw Error(ErrorCode::InvalidArgument,
                    place(path_, name) + "cannot be read: the file is truncated or damaged");
    }
    return values;
}

std::vector<std::string> File::read_strings(const std::string& name) const {
    const Handle set = open_dataset(id_, path_, name);
    const Handle stored(H5Dget_type(set.get()), H5Tclose);
    expect_variable_strings(stored.get(), place(path_, name));
    const Handle type = string_type();
    std::vector<char*> pointers = room_for<char*>(id_, set.get(), place(path_, name), dims(name));
    hsize_t file_bytes = 0;
    H5Fget_filesize(id_, &file_bytes);
    TextBudget texts(kFreeRoom + file_bytes);
    const Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
    texts.serve(transfer.get());
    if (H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, transfer.get(), pointers.data()) < 0) {
        throw Error(ErrorCode::InvalidArgument,
                    place(path_, name) +
                        "cannot be read: the file is truncated or damaged, or its texts are more "
                        "than it stores");
    }
    std::vector<std::string> values;
    values.reserve(pointers.size());
    for (const char* pointer : pointers) {
        values.emplace_back(pointer != nullptr ? pointer : "");
    }
    return values;
}

#define KANAME_INSTANTIATE(T)                                                                 \
    template void File::write<T>(const std::string&, std::span<const T>, const Dims&,         \
                                 const Dims&);                                                \
    template void File::create<T>(const std::string&, const Dims&, const Dims&);              \
    template void File::write_block<T>(const std::string&, std::span<const T>, const Dims&,   \
                                       const Dims&);                                          \
    template std::vector<T> File::read<T>(const std::string&) const;                          \
    template std::vector<T> File::read<T>(const std::string&, const Dims&) const;             \
    template std::vector<T> File::read_block<T>(const std::string&, const Dims&, const Dims&, \
                                                const Dims&) const;
KANAME_INSTANTIATE(double)
KANAME_INSTANTIATE(float)
KANAME_INSTANTIATE(std::int8_t)
KANAME_INSTANTIATE(std::uint8_t)
KANAME_INSTANTIATE(std::int32_t)
KANAME_INSTANTIATE(std::int64_t)
#undef KANAME_INSTANTIATE

}  // namespace kaname::h5

#endif
