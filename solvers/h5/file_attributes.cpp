// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/h5/file.hpp"

#ifdef KANAME_HAVE_HDF5

#include <hdf5.h>

#include "solvers/base/error.hpp"
#include "solvers/h5/handle.hpp"
#include "solvers/h5/native.hpp"

namespace kaname::h5 {
namespace {

void write_attribute(hid_t file, const std::string& path, const std::string& object,
                     const std::string& name, hid_t type, const Dims& dims, const void* data) {
    const Handle space = dataspace(dims);
    const Handle attribute(H5Acreate_by_name(file, object.c_str(), name.c_str(), type, space.get(),
                                             H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    if (!attribute || H5Awrite(attribute.get(), type, data) < 0) {
        cannot_write(path, object + "@" + name);
    }
}

Handle open_attribute(hid_t file, const std::string& path, const std::string& object,
                      const std::string& name) {
    Handle attribute(H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                     H5Aclose);
    if (!attribute) {
        throw Error(ErrorCode::InvalidArgument,
                    place(path, object + "@" + name) + "no such attribute");
    }
    return attribute;
}

template <typename T>
T read_number_attribute(hid_t file, const std::string& path, const std::string& object,
                        const std::string& name) {
    const Handle attribute = open_attribute(file, path, object, name);
    const Handle space(H5Aget_space(attribute.get()), H5Sclose);
    T value{};
    if (H5Sget_simple_extent_npoints(space.get()) != 1 ||
        H5Aread(attribute.get(), native_type<T>(), &value) < 0) {
        throw Error(ErrorCode::InvalidArgument,
                    place(path, object + "@" + name) + "must be one number");
    }
    return value;
}

}  // namespace

void File::set_attribute(const std::string& object, const std::string& name,
                         const std::string& value) {
    // Variable length keeps the text in the file's heap: no 64 KiB limit on attributes.
    const Handle type = string_type();
    const char* text = value.c_str();
    write_attribute(id_, path_, object, name, type.get(), {}, &text);
}

void File::set_attribute(const std::string& object, const std::string& name, double value) {
    write_attribute(id_, path_, object, name, H5T_NATIVE_DOUBLE, {}, &value);
}

void File::set_attribute(const std::string& object, const std::string& name, std::int64_t value) {
    write_attribute(id_, path_, object, name, H5T_NATIVE_INT64, {}, &value);
}

void File::set_attribute(const std::string& object, const std::string& name,
                         std::span<const std::int8_t> values) {
    write_attribute(id_, path_, object, name, H5T_NATIVE_INT8, {values.size()}, values.data());
}

bool File::has_attribute(const std::string& object, const std::string& name) const {
    return H5Aexists_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::string File::string_attribute(const std::string& object, const std::string& name) const {
    const Handle attribute = open_attribute(id_, path_, object, name);
    const std::string where = place(path_, object + "@" + name);
    const Handle stored(H5Aget_type(attribute.get()), H5Tclose);
    const auto check = [&where](herr_t status) {
        if (status < 0) {
            throw Error(ErrorCode::InvalidArgument, where + "cannot be read");
        }
    };
    const Handle space(H5Aget_space(attribute.get()), H5Sclose);
    const bool one = H5Sget_simple_extent_npoints(space.get()) == 1;
    if (one && H5Tget_class(stored.get()) == H5T_STRING && H5Tis_variable_str(stored.get()) == 0) {
        // netCDF's NC_CHAR
        std::string text(H5Tget_size(stored.get()), '\0');
        check(H5Aread(attribute.get(), stored.get(), text.data()));
        return text.substr(0, text.find('\0'));
    }
    expect_variable_strings(stored.get(), where);
    if (!one) {
        throw Error(ErrorCode::InvalidArgument, where + "must be one text");
    }
    const Handle type = string_type();
    char* text = nullptr;
    check(H5Aread(attribute.get(), type.get(), &text));
    std::string value = text != nullptr ? text : "";
    H5free_memory(text);
    return value;
}

double File::double_attribute(const std::string& object, const std::string& name) const {
    return read_number_attribute<double>(id_, path_, object, name);
}

std::int64_t File::int_attribute(const std::string& object, const std::string& name) const {
    return read_number_attribute<std::int64_t>(id_, path_, object, name);
}

}  // namespace kaname::h5

#endif
