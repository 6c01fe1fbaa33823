// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/comm/halo.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::comm {
namespace {

using Ids = std::vector<std::int64_t>;

Bytes pack(const Ids& ids) {
    const auto bytes = std::as_bytes(std::span(ids));
    return {bytes.begin(), bytes.end()};
}

Ids unpack(const Bytes& bytes) {
    Ids ids(bytes.size() / sizeof(std::int64_t));
    if (!ids.empty()) {
        std::memcpy(ids.data(), bytes.data(), bytes.size());
    }
    return ids;
}

std::vector<Bytes> deliver(Comm& comm, const std::vector<Ids>& outgoing) {
    std::vector<Bytes> packed;
    packed.reserve(outgoing.size());
    for (const Ids& ids : outgoing) {
        packed.push_back(pack(ids));
    }
    return comm.all_to_all(packed);
}

struct LocalId {
    std::int64_t global;
    std::int32_t item;
    friend auto operator<=>(const LocalId&, const LocalId&) = default;
};

std::vector<LocalId> sorted_ids(std::span<const std::int64_t> global_ids) {
    std::vector<LocalId> sorted(global_ids.size());
    for (std::size_t i = 0; i < global_ids.size(); ++i) {
        if (global_ids[i] < 0) {
            throw Error(ErrorCode::InvalidArgument, "global_ids[" + std::to_string(i) +
                                                        "] must be >= 0, got " +
                                                        std::to_string(global_ids[i]));
        }
        sorted[i] = {global_ids[i], static_cast<std::int32_t>(i)};
    }
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        if (sorted[i].global == sorted[i - 1].global) {
            throw Error(ErrorCode::InvalidArgument,
                        "global_ids[" + std::to_string(sorted[i].item) +
                            "] = " + std::to_string(sorted[i].global) + " repeats global_ids[" +
                            std::to_string(sorted[i - 1].item) + "]: must be unique on a rank");
        }
    }
    return sorted;
}

// Returns the replies of an id's home rank: for each holder of a shared id, (id, other holder)
// pairs.
std::vector<Ids> match_holders(const std::vector<Bytes>& reported) {
    std::vector<std::pair<std::int64_t, int>> held;  // (id, holder)
    for (std::size_t rank = 0; rank < reported.size(); ++rank) {
        for (const std::int64_t id : unpack(reported[rank])) {
            held.emplace_back(id, static_cast<int>(rank));
        }
    }
    std::sort(held.begin(), held.end());
    std::vector<Ids> replies(reported.size());
    for (auto first = held.begin(); first != held.end();) {
        const auto last = std::find_if(
            first, held.end(), [&](const auto& entry) { return entry.first != first->first; });
        for (auto holder = first; holder != last; ++holder) {
            for (auto other = first; other != last; ++other) {
                if (other != holder) {
                    replies[static_cast<std::size_t>(holder->second)].insert(
                        replies[static_cast<std::size_t>(holder->second)].end(),
                        {first->first, std::int64_t{other->second}});
                }
            }
        }
        first = last;
    }
    return replies;
}

template <class T>
T* as(Bytes& bytes) {
    return reinterpret_cast<T*>(bytes.data());
}

template <class T>
void gather(std::span<const T> values, const std::vector<std::int32_t>& items, int width,
            Bytes& packed) {
    const auto w = static_cast<std::size_t>(width);
    packed.resize(items.size() * w * sizeof(T));
    T* to = as<T>(packed);
    for (std::size_t i = 0; i < items.size(); ++i) {
        std::copy_n(values.data() + static_cast<std::size_t>(items[i]) * w, w, to + i * w);
    }
}

template <class T>
void add(Bytes& packed, const std::vector<std::int32_t>& items, int width, std::span<T> values) {
    const auto w = static_cast<std::size_t>(width);
    const T* from = as<T>(packed);
    for (std::size_t i = 0; i < items.size(); ++i) {
        T* to = values.data() + static_cast<std::size_t>(items[i]) * w;
        for (std::size_t comp = 0; comp < w; ++comp) {
            to[comp] += from[i * w + comp];
        }
    }
}

}  // namespace

Halo::Halo(Comm& comm, std::span<const std::int64_t> global_ids)
    : comm_(&comm), item_count_(global_ids.size()) {
    std::vector<LocalId> sorted;
    std::exception_ptr error;
    try {
        sorted = sorted_ids(global_ids);
    } catch (...) {
        error = std::current_exception();
    }
    comm.throw_if_any(error);
    if (comm.size() == 1) {
        return;
    }

    // Rendezvous: an id's home rank hears of all holders and tells each of them about the others.
    std::vector<Ids> reports(static_cast<std::size_t>(comm.size()));
    for (const LocalId& id : sorted) {
        reports[static_cast<std::size_t>(id.global % comm.size())].push_back(id.global);
    }
    const std::vector<Bytes> replies = deliver(comm, match_holders(deliver(comm, reports)));

    std::vector<std::pair<int, std::int64_t>> links;  // (other rank, id)
    for (const Bytes& reply : replies) {
        const Ids pairs = unpack(reply);
        for (std::size_t i = 0; i < pairs.size(); i += 2) {
            links.emplace_back(static_cast<int>(pairs[i + 1]), pairs[i]);
        }
    }
    if (links.empty()) {
        return;
    }
    std::sort(links.begin(), links.end());
    owned_.assign(global_ids.size(), 1);
    for (const auto& [other, id] : links) {
        const auto place = std::lower_bound(sorted.begin(), sorted.end(), LocalId{id, 0});
        if (neighbours_.empty() || neighbours_.back().rank != other) {
            neighbours_.push_back({other, {}});
        }
        neighbours_.back().items.push_back(place->item);
        shared_.push_back(place->item);
        if (other < comm.rank()) {
            owned_[static_cast<std::size_t>(place->item)] = 0;
        }
    }
    std::sort(shared_.begin(), shared_.end());
    shared_.erase(std::unique(shared_.begin(), shared_.end()), shared_.end());
    send_.resize(neighbours_.size());
    receive_.resize(neighbours_.size());
    sends_.resize(neighbours_.size());
    receives_.resize(neighbours_.size());
}

Halo Halo::of_shared() const {
    Halo compact;
    compact.comm_ = comm_;
    compact.item_count_ = shared_.size();
    for (const std::int32_t item : shared_) {
        compact.shared_.push_back(static_cast<std::int32_t>(compact.shared_.size()));
        compact.owned_.push_back(owned_[item]);
    }
    compact.neighbours_ = neighbours_;
    for (Neighbour& neighbour : compact.neighbours_) {
        for (std::int32_t& item : neighbour.items) {
            const auto place = std::lower_bound(shared_.begin(), shared_.end(), item);
            item = static_cast<std::int32_t>(place - shared_.begin());
        }
    }
    compact.send_.resize(neighbours_.size());
    compact.receive_.resize(neighbours_.size());
    compact.sends_.resize(neighbours_.size());
    compact.receives_.resize(neighbours_.size());
    return compact;
}

void Halo::check_shape(std::size_t count, int width) const {
    if (width < 1 || count != item_count_ * static_cast<std::size_t>(width)) {
        throw Error(ErrorCode::InvalidArgument,
                    "halo values must have " + std::to_string(item_count_) + " items of width " +
                        std::to_string(width) + " >= 1, got " + std::to_string(count) + " values");
    }
}

template <class T>
void Halo::sum_start(std::span<const T> values, int width) {
    if (neighbours_.empty()) {
        return;
    }
    check_shape(values.size(), width);
    gather(values, shared_, width, own_);
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
        gather(values, neighbours_[i].items, width, send_[i]);
        receive_[i].resize(send_[i].size());
        sends_[i] = {neighbours_[i].rank, send_[i]};
        receives_[i] = {neighbours_[i].rank, receive_[i]};
    }
    comm_->start_exchange(sends_, receives_);
}

template <class T>
void Halo::sum_finish(std::span<T> values, int width) {
    if (neighbours_.empty()) {
        return;
    }
    check_shape(values.size(), width);
    comm_->finish_exchange();
    // From zero, in ascending rank order with this rank in its place.
    for (const std::int32_t item : shared_) {
        std::fill_n(
            values.data() + static_cast<std::size_t>(item) * static_cast<std::size_t>(width), width,
            T{0});
    }
    std::size_t next = 0;
    for (; next < neighbours_.size() && neighbours_[next].rank < comm_->rank(); ++next) {
        add(receive_[next], neighbours_[next].items, width, values);
    }
    add(own_, shared_, width, values);
    for (; next < neighbours_.size(); ++next) {
        add(receive_[next], neighbours_[next].items, width, values);
    }
}

template void Halo::sum_start(std::span<const float>, int);
template void Halo::sum_start(std::span<const double>, int);
template void Halo::sum_start(std::span<const std::int32_t>, int);
template void Halo::sum_start(std::span<const std::int64_t>, int);
template void Halo::sum_finish(std::span<float>, int);
template void Halo::sum_finish(std::span<double>, int);
template void Halo::sum_finish(std::span<std::int32_t>, int);
template void Halo::sum_finish(std::span<std::int64_t>, int);

}  // namespace kaname::comm
