// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/h5/self_contained.hpp"

#ifdef KANAME_HAVE_HDF5

#include <algorithm>

#include "solvers/base/error.hpp"
#include "solvers/h5/handle.hpp"
#include "solvers/h5/native.hpp"

namespace kaname::h5 {
namespace {

constexpr std::size_t kMostObjects = 100'000, kMostLevels = 32;
constexpr std::size_t kWidestNumber = 16;      // bytes
constexpr std::uint64_t kMostUnpacked = 1100;  // bytes of one; DEFLATE: 1,032
constexpr std::size_t kMostChunkAxes = H5S_MAX_RANK;

struct Link {
    std::string name;
    H5L_type_t type;
};

/// The links of one group, as H5Literate finds them.
struct Links {
    std::vector<Link> found;
    std::size_t most;
};

herr_t add_link(hid_t, const char* name, const H5L_info_t* info, void* links) noexcept {
    auto& all = *static_cast<Links*>(links);
    if (all.found.size() >= all.most) {
        return 1;
    }
    try {
        all.found.push_back({name, info->type});
    } catch (...) {
        return -1;
    }
    return 0;
}

[[noreturn]] void refuse_object(const std::string& path, const std::string& object,
                                const std::string& why) {
    throw Error(ErrorCode::InvalidArgument, place(path, object) + why);
}

class Walk {
public:
    explicit Walk(const std::string& path) : path_(path) {}

    void group(hid_t id, const std::string& name, std::size_t level) {
        Links links{{}, kMostObjects - n_objects_ + 1};
        if (H5Literate(id, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add_link, &links) < 0) {
            refuse_object(path_, name, "cannot be read: the file is truncated or damaged");
        }
        n_objects_ += links.found.size();
        if (n_objects_ > kMostObjects || level > kMostLevels) {
            refuse_object(path_, name,
                          "the file must hold at most " + std::to_string(kMostObjects) +
                              " objects in at most " + std::to_string(kMostLevels) +
                              " groups of each other");
        }
        for (const Link& link : links.found) {
            const std::string full = name + (name == "/" ? "" : "/") + link.name;
            if (link.type == H5L_TYPE_HARD) {
                object(id, link.name, full, level);
            } else if (link.type != H5L_TYPE_SOFT) {
                refuse_object(path_, full,
                              "is a link out of the file, which must hold its values itself");
            }
        }
    }

private:
    void object(hid_t group_id, const std::string& name, const std::string& full,
                std::size_t level) {
        const Handle one(H5Oopen(group_id, name.c_str(), H5P_DEFAULT), H5Oclose);
        const H5I_type_t type = one ? H5Iget_type(one.get()) : H5I_BADID;
        if (type == H5I_GROUP) {
            group(one.get(), full, level + 1);
        } else if (type == H5I_DATASET) {
            dataset(one.get(), full);
        } else if (type != H5I_DATATYPE) {
            refuse_object(path_, full, "cannot be read: the file is truncated or damaged");
        }
    }

    /// Asks for no extent: that of a virtual dataset makes the library open the other files.
    void dataset(hid_t set, const std::string& full) const {
        const Handle properties(H5Dget_create_plist(set), H5Pclose);
        const H5D_layout_t layout = H5Pget_layout(properties.get());
        if (layout == H5D_VIRTUAL) {
            refuse_object(path_, full,
                          "is a virtual dataset over other files; the file must hold its values "
                          "itself");
        }
        if (layout < 0 || H5Pget_external_count(properties.get()) != 0) {
            refuse_object(path_, full,
                          "has its values in other files; the file must hold them itself");
        }
        const int n_filters = H5Pget_nfilters(properties.get());
        for (int k = 0; k < n_filters; ++k) {
            unsigned flags = 0, config = 0;
            std::size_t n_values = 0;
            const H5Z_filter_t filter =
                H5Pget_filter2(properties.get(), static_cast<unsigned>(k), &flags, &n_values,
                               nullptr, 0, nullptr, &config);
            if (filter < H5Z_FILTER_DEFLATE || filter > H5Z_FILTER_SCALEOFFSET) {
                refuse_object(path_, full,
                              "must be packed by filters of HDF5 itself (deflate, shuffle, "
                              "fletcher32, szip, nbit, scaleoffset), got filter " +
                                  std::to_string(filter));
            }
        }
    }

    const std::string& path_;
    std::size_t n_objects_ = 0;
};

/// Bytes in memory of one chunk of a dataset, which is unpacked as a whole; 0 without chunks.
std::uint64_t chunk_bytes(hid_t dataset, std::size_t size) {
    const Handle properties(H5Dget_create_plist(dataset), H5Pclose);
    hsize_t extent[kMostChunkAxes];
    if (H5Pget_layout(properties.get()) != H5D_CHUNKED) {
        return 0;
    }
    const int rank = H5Pget_chunk(properties.get(), kMostChunkAxes, extent);
    std::uint64_t bytes = size;
    for (int axis = 0; axis < rank; ++axis) {
        if (__builtin_mul_overflow(bytes, extent[axis], &bytes)) {
            return ~std::uint64_t{0};
        }
    }
    return bytes;
}

}  // namespace

void forbid_plugins() {
    H5PLset_loading_state(0);
}

void expect_self_contained(hid_t file, const std::string& path) {
    const Handle root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose);
    Walk(path).group(root.get(), "/", 0);
}

void expect_stored(hid_t file, hid_t dataset, const std::string& where, std::uint64_t bytes) {
    const Handle type(H5Dget_type(dataset), H5Tclose);
    const std::size_t size = H5Tget_size(type.get());
    if (size == 0 || size > kWidestNumber) {
        throw Error(ErrorCode::InvalidArgument, where + "must hold values of at most " +
                                                    std::to_string(kWidestNumber) + " bytes, got " +
                                                    std::to_string(size));
    }
    const std::uint64_t needed = std::max(bytes, chunk_bytes(dataset, size));
    if (needed <= kFreeRoom) {
        return;
    }
    hsize_t file_bytes = 0;
    H5Fget_filesize(file, &file_bytes);
    const std::uint64_t stored = std::min<std::uint64_t>(H5Dget_storage_size(dataset), file_bytes);
    if ((needed - kFreeRoom) / kMostUnpacked > stored) {
        throw Error(ErrorCode::InvalidArgument,
                    where + "needs " + std::to_string(needed) +
                        " bytes of memory, of which the file must store at least one in " +
                        std::to_string(kMostUnpacked) + ", got " + std::to_string(stored));
    }
}

void TextBudget::serve(hid_t transfer) {
    H5Pset_vlen_mem_manager(transfer, &TextBudget::take, this, &TextBudget::give_back, this);
}

void* TextBudget::take(std::size_t size, void* self) {
    auto& budget = *static_cast<TextBudget*>(self);
    if (size > budget.left_) {
        return nullptr;
    }
    try {
        budget.texts_.push_back(std::make_unique_for_overwrite<char[]>(size));
    } catch (...) {
        return nullptr;
    }
    budget.left_ -= size;
    return budget.texts_.back().get();
}

// All go with the budget: the library gives a text back only where the whole read has failed.
void TextBudget::give_back(void*, void*) {}

}  // namespace kaname::h5

#endif
