// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/greens/checkpoint_archive.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

namespace kaname::jobs {

using comm::Bytes;
using lanes::kLanes;

namespace {

template <class T>
Bytes bytes_of(std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    return {bytes.begin(), bytes.end()};
}

template <class T>
std::vector<T> values_of(const Bytes& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) {
        std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    }
    return values;
}

template <class T>
void write_checked(h5::File& file, const std::string& name, std::span<const T> values,
                   const h5::Dims& dims) {
    file.write<T>(name, values, dims);
    file.set_attribute(name, "crc32c", std::int64_t{crc32c(std::as_bytes(values))});
}

template <class T>
std::vector<T> read_checked(const h5::File& file, const std::string& name, const h5::Dims& dims) {
    std::vector<T> values = file.read<T>(name, dims);
    if (file.int_attribute(name, "crc32c") !=
        std::int64_t{crc32c(std::as_bytes(std::span<const T>(values)))}) {
        throw Error(ErrorCode::DataLoss, file.path() + ": " + name + " was damaged");
    }
    return values;
}

/// The ids of one piece [first, first + count) that a rank has, in the order of the ids.
struct Slice {
    std::vector<std::int64_t> id;
    std::vector<std::int32_t> item;
};

/// Deals out local items to pieces, in ascending order of their ids.
class Pieces {
public:
    Pieces(std::span<const std::int64_t> ids, std::int64_t each) : ids_(ids), each_(each) {
        order_.resize(ids.size());
        std::iota(order_.begin(), order_.end(), 0);
        std::ranges::sort(order_, {}, [&](std::int32_t item) { return ids[item]; });
    }
    [[nodiscard]] Slice slice(std::int64_t piece) const {
        const auto id_of = [&](std::int32_t item) { return ids_[item]; };
        const auto from = std::ranges::lower_bound(order_, piece * each_, {}, id_of);
        const auto to = std::ranges::lower_bound(order_, (piece + 1) * each_, {}, id_of);
        Slice slice;
        slice.item.assign(from, to);
        for (const std::int32_t item : slice.item) {
            slice.id.push_back(ids_[item]);
        }
        return slice;
    }

private:
    std::span<const std::int64_t> ids_;
    std::int64_t each_;
    std::vector<std::int32_t> order_;
};

/// All ranks' bytes on rank 0; nothing elsewhere.
std::vector<Bytes> to_first_rank(comm::Comm& comm, Bytes mine) {
    std::vector<Bytes> outgoing(comm.size());
    outgoing[0] = std::move(mine);
    return comm.all_to_all(outgoing);
}

std::string piece_name(const std::string& name, std::int64_t piece) {
    return name + "/" + std::to_string(piece);
}

std::string rank_name(const std::string& name, int rank) {
    return name + "/rank" + std::to_string(rank);
}

}  // namespace

template <class Write>
void CheckpointWriter::on_first_rank(const Write& write) {
    if (file_ == nullptr || error_) {
        return;
    }
    try {
        write(*file_);
    } catch (...) {
        error_ = std::current_exception();
    }
}

void CheckpointWriter::number(const std::string& name, std::int64_t& value) {
    on_first_rank([&](h5::File& file) {
        write_checked<std::int64_t>(file, name, {&value, 1}, {1});
    });
}

void CheckpointWriter::lanes(const std::string& name, std::span<std::int64_t> values) {
    on_first_rank(
        [&](h5::File& file) { write_checked<std::int64_t>(file, name, values, {values.size()}); });
}

void CheckpointWriter::items(const std::string& name, std::span<const std::int64_t> ids, int width,
                             device::View<double> values, device::Queue& queue) {
    const std::size_t numbers = std::size_t(width) * kLanes;
    std::vector<double> host(values.size());
    device::download<double>(values, host, queue);
    const std::int64_t largest = ids.empty() ? -1 : *std::max_element(ids.begin(), ids.end());
    const auto extent = static_cast<std::int64_t>(comm_.max(static_cast<double>(largest))) + 1;
    const std::int64_t each =
        std::max<std::int64_t>(1, numbers_per_piece_ / static_cast<std::int64_t>(numbers));
    on_first_rank([&](h5::File& file) {
        const std::array<std::int64_t, 2> both = {extent, each};
        write_checked<std::int64_t>(file, name + "/extent", both, {2});
    });
    const Pieces pieces(ids, each);
    for (std::int64_t piece = 0; piece * each < extent; ++piece) {
        const Slice slice = pieces.slice(piece);
        std::vector<double> packed;
        packed.reserve(slice.item.size() * numbers);
        for (const std::int32_t item : slice.item) {
            const double* from = host.data() + std::size_t(item) * numbers;
            packed.insert(packed.end(), from, from + numbers);
        }
        const auto all_ids = to_first_rank(comm_, bytes_of<std::int64_t>(slice.id));
        const auto all_values = to_first_rank(comm_, bytes_of<double>(packed));
        on_first_rank([&](h5::File& file) {
            const std::int64_t first = piece * each;
            const auto here = static_cast<std::size_t>(std::min(each, extent - first));
            std::vector<double> whole(here * numbers);
            std::vector<std::uint8_t> seen(here, 0);
            for (std::size_t rank = 0; rank < all_ids.size(); ++rank) {
                const auto id = values_of<std::int64_t>(all_ids[rank]);
                const auto value = values_of<double>(all_values[rank]);
                for (std::size_t k = 0; k < id.size(); ++k) {
                    seen[id[k] - first] = 1;
                    std::copy_n(value.data() + k * numbers, numbers,
                                whole.data() + std::size_t(id[k] - first) * numbers);
                }
            }
            std::vector<std::int64_t> present;
            for (std::size_t k = 0; k < here; ++k) {
                if (seen[k] != 0) {
                    std::copy_n(whole.data() + k * numbers, numbers,
                                whole.data() + present.size() * numbers);
                    present.push_back(first + static_cast<std::int64_t>(k));
                }
            }
            whole.resize(present.size() * numbers);
            if (present.size() < here) {
                write_checked<std::int64_t>(file, piece_name(name, piece) + "_id", present,
                                            {present.size()});
            }
            write_checked<double>(file, piece_name(name, piece), whole, {present.size(), numbers});
        });
    }
}

bool CheckpointWriter::own(const std::string& name, predictors::StateBytes& bytes) {
    if (!full_) {
        return false;
    }
    for (int rank = 0; rank < comm_.size(); ++rank) {  // one at a time: rank 0 has room for one
        const auto all = to_first_rank(comm_, rank == comm_.rank() ? bytes.bytes() : Bytes());
        on_first_rank([&](h5::File& file) {
            const auto* from = reinterpret_cast<const std::uint8_t*>(all[rank].data());
            write_checked<std::uint8_t>(file, rank_name(name, rank), {from, all[rank].size()},
                                        {all[rank].size()});
        });
    }
    return true;
}

CheckpointReader::CheckpointReader(const h5::File* file, std::array<int, kLanes> place, bool own,
                                   comm::Comm& comm)
    : file_(file), place_(place), keeps_own_(own), comm_(comm) {}

template <class Read>
Bytes CheckpointReader::from_first_rank(const Read& read) {
    Bytes bytes;
    std::exception_ptr error;
    if (comm_.rank() == 0) {
        try {
            bytes = read(*file_);
        } catch (...) {
            error = std::current_exception();
        }
    }
    comm_.throw_if_any(error);
    comm_.broadcast(bytes, 0);
    return bytes;
}

void CheckpointReader::number(const std::string& name, std::int64_t& value) {
    value = values_of<std::int64_t>(from_first_rank([&](const h5::File& file) {
                return bytes_of<std::int64_t>(read_checked<std::int64_t>(file, name, {1}));
            })).at(0);
}

void CheckpointReader::lanes(const std::string& name, std::span<std::int64_t> values) {
    const auto all = values_of<std::int64_t>(from_first_rank([&](const h5::File& file) {
        return bytes_of<std::int64_t>(read_checked<std::int64_t>(file, name, {values.size()}));
    }));
    for (std::size_t lane = 0; lane < values.size(); ++lane) {
        values[lane] = place_[lane] < 0 ? 0 : all.at(place_[lane]);
    }
}

void CheckpointReader::items(const std::string& name, std::span<const std::int64_t> ids, int width,
                             device::View<double> values, device::Queue& queue) {
    const std::size_t numbers = std::size_t(width) * kLanes;
    std::vector<double> host(values.size());
    const auto both = values_of<std::int64_t>(from_first_rank([&](const h5::File& file) {
        return bytes_of<std::int64_t>(read_checked<std::int64_t>(file, name + "/extent", {2}));
    }));
    const std::int64_t extent = both.at(0);
    const std::int64_t each = std::max<std::int64_t>(1, both.at(1));
    std::size_t found = 0;
    const Pieces pieces(ids, each);
    for (std::int64_t piece = 0; piece * each < extent; ++piece) {
        const std::string place = piece_name(name, piece);
        const auto present = values_of<std::int64_t>(from_first_rank([&](const h5::File& file) {
            if (file.has(place + "_id")) {
                return bytes_of<std::int64_t>(
                    read_checked<std::int64_t>(file, place + "_id", {h5::kAny}));
            }
            std::vector<std::int64_t> all(std::min(each, extent - piece * each));
            std::iota(all.begin(), all.end(), piece * each);
            return bytes_of<std::int64_t>(all);
        }));
        const auto whole = values_of<double>(from_first_rank([&](const h5::File& file) {
            return bytes_of<double>(read_checked<double>(file, place, {present.size(), numbers}));
        }));
        const Slice slice = pieces.slice(piece);
        for (std::size_t k = 0; k < slice.id.size(); ++k) {
            const auto at = std::lower_bound(present.begin(), present.end(), slice.id[k]);
            if (at == present.end() || *at != slice.id[k]) {
                continue;
            }
            ++found;
            const double* from = whole.data() + std::size_t(at - present.begin()) * numbers;
            double* to = host.data() + std::size_t(slice.item[k]) * numbers;
            for (std::size_t i = 0; i < numbers; ++i) {
                const int lane = place_[i % kLanes];
                to[i] = lane < 0 ? 0.0 : from[i / kLanes * kLanes + lane];
            }
        }
    }
    const double missing = comm_.sum(static_cast<double>(ids.size() - found));
    if (missing > 0.0) {
        throw Error(ErrorCode::InvalidArgument,
                    name + " lacks " + std::to_string(static_cast<std::int64_t>(missing)) +
                        " items of this mesh");
    }
    device::upload<double>(host, values, queue);
}

bool CheckpointReader::own(const std::string& name, predictors::StateBytes& bytes) {
    if (!keeps_own_) {
        return false;
    }
    for (int rank = 0; rank < comm_.size(); ++rank) {
        Bytes from_file = from_first_rank([&](const h5::File& file) {
            return bytes_of<std::uint8_t>(
                read_checked<std::uint8_t>(file, rank_name(name, rank), {h5::kAny}));
        });
        if (rank == comm_.rank()) {
            bytes = predictors::StateBytes(std::move(from_file));
        }
    }
    return true;
}

}  // namespace kaname::jobs
