// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/indirect_hdf5.hpp"

#ifdef KANAME_HAVE_HDF5

#include <algorithm>

#include <hdf5.h>

namespace kaname::test {
namespace {

constexpr auto kUserLink = static_cast<H5L_type_t>(H5L_TYPE_UD_MIN + 36);
constexpr H5Z_filter_t kPluginFilter = 32015;  // Zstandard's, as HDF5 registers it

bool create_link(hid_t file, const char* name, Indirection kind, const char* other, hid_t links) {
    if (kind == Indirection::ExternalLink) {
        return H5Lcreate_external(other, "/values", file, name, links, H5P_DEFAULT) >= 0;
    }
    H5L_class_t type{};
    type.version = H5L_LINK_CLASS_T_VERS;
    type.id = kUserLink;
    type.comment = "to the root group";
    type.trav_func = [](const char*, hid_t group, const void*, std::size_t, hid_t, hid_t) -> hid_t {
        return H5Gopen2(group, "/", H5P_DEFAULT);
    };
    const bool made = H5Lregister(&type) >= 0 &&
                      H5Lcreate_ud(file, name, kUserLink, other, 1, links, H5P_DEFAULT) >= 0;
    H5Lunregister(kUserLink);
    return made;
}

bool create_dataset(hid_t file, const char* name, Indirection kind, const char* other,
                    const std::vector<hsize_t>& shape, hid_t links) {
    const int rank = static_cast<int>(shape.size());
    const hid_t space =
        rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, shape.data(), nullptr);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    bool ready = true;
    if (kind == Indirection::ExternalData) {
        ready = H5Pset_external(how, other, 0, H5F_UNLIMITED) >= 0;
    } else if (kind == Indirection::Virtual) {
        ready = H5Pset_virtual(how, space, other, "/values", space) >= 0;
    } else {
        const std::vector<hsize_t> chunk(std::max<std::size_t>(shape.size(), 1), 1);
        ready = H5Pset_chunk(how, std::max(rank, 1), chunk.data()) >= 0 &&
                H5Pset_filter(how, kPluginFilter, H5Z_FLAG_OPTIONAL, 0, nullptr) >= 0;
    }
    const hid_t set =
        ready ? H5Dcreate2(file, name, H5T_NATIVE_UINT8, space, links, how, H5P_DEFAULT) : -1;
    if (set >= 0) {
        H5Dclose(set);
    }
    H5Pclose(how);
    H5Sclose(space);
    return set >= 0;
}

}  // namespace

bool add_indirection(const std::string& path, const std::string& name, Indirection kind,
                     const std::string& other, const std::vector<std::uint64_t>& shape) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    if (file < 0) {
        return false;
    }
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    H5E_BEGIN_TRY {
        H5Ldelete(file, name.c_str(), H5P_DEFAULT);
    }
    H5E_END_TRY
    const bool is_link = kind == Indirection::ExternalLink || kind == Indirection::UserLink;
    const std::vector<hsize_t> extent(shape.begin(), shape.end());
    const bool made = is_link
                          ? create_link(file, name.c_str(), kind, other.c_str(), links)
                          : create_dataset(file, name.c_str(), kind, other.c_str(), extent, links);
    H5Pclose(links);
    return H5Fclose(file) >= 0 && made;
}

bool add_repeated_text(const std::string& path, const std::string& name, std::uint64_t count,
                       std::size_t length) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    const hsize_t extent = count, chunk = 1;
    const hid_t space = H5Screate_simple(1, &extent, nullptr);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    const std::string letters(length, 'x');
    const char* text = letters.c_str();
    H5Pset_chunk(how, 1, &chunk);
    H5Pset_fill_value(how, type, &text);
    const hid_t set = H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    const bool made = set >= 0 && H5Dclose(set) >= 0;
    H5Pclose(how);
    H5Sclose(space);
    H5Tclose(type);
    return H5Fclose(file) >= 0 && made;
}

}  // namespace kaname::test

#else

namespace kaname::test {

bool add_indirection(const std::string&, const std::string&, Indirection, const std::string&,
                     const std::vector<std::uint64_t>&) {
    return false;
}
bool add_repeated_text(const std::string&, const std::string&, std::uint64_t, std::size_t) {
    return false;
}

}  // namespace kaname::test

#endif
