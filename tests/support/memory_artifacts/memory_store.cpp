// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/memory_artifacts/memory_store.hpp"

#include <algorithm>
#include <limits>
#include <list>
#include <map>
#include <mutex>
#include <utility>

#include "server/artifacts/artifact_store.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/files.hpp"

namespace kaname::artifacts::memory {
namespace {

using Bytes = std::vector<std::byte>;

struct Partial {
    Bytes bytes;
    TimePoint written_at;
    bool held = true;
};

struct Stored {
    std::shared_ptr<const Bytes> bytes;  // shared with readers, which outlive a removal
    TimePoint put_at;
};

}  // namespace

struct MemoryStore::State {
    StoreOptions options;
    std::mutex mutex;
    std::map<std::string, Stored> stored;
    std::map<std::string, std::list<Partial>> partials;  // list: handles keep references
    TemporaryFolder copies;

    [[nodiscard]] std::uint64_t free() const {
        return options.free_bytes ? options.free_bytes()
                                  : std::numeric_limits<std::uint64_t>::max();
    }
};

namespace {

class MemoryArtifact final : public Artifact {
public:
    MemoryArtifact(std::string sha256, std::shared_ptr<const Bytes> bytes)
        : sha256_(std::move(sha256)), bytes_(std::move(bytes)) {}

    std::uint64_t size() const override { return bytes_->size(); }
    std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
        check_read_offset(sha256_, offset, size());
        const std::size_t count = std::min<std::uint64_t>(into.size(), size() - offset);
        std::copy_n(bytes_->begin() + static_cast<std::ptrdiff_t>(offset), count, into.begin());
        return count;
    }

private:
    std::string sha256_;
    std::shared_ptr<const Bytes> bytes_;
};

class MemoryUpload final : public Upload {
public:
    /// `partial` belongs to state->partials[sha256]; null when the artifact is complete.
    MemoryUpload(std::shared_ptr<MemoryStore::State> state, std::string sha256,
                 std::uint64_t declared, Partial* partial)
        : state_(std::move(state)),
          sha256_(std::move(sha256)),
          declared_(declared),
          partial_(partial),
          done_(partial == nullptr) {}
    ~MemoryUpload() override {
        const std::scoped_lock lock(state_->mutex);
        if (partial_ != nullptr) {
            partial_->held = false;
        }
    }
    MemoryUpload(const MemoryUpload&) = delete;
    MemoryUpload& operator=(const MemoryUpload&) = delete;

    std::uint64_t offset() const override {
        return partial_ != nullptr ? partial_->bytes.size() : done_ ? declared_ : 0;
    }

    void write(std::uint64_t offset, std::span<const std::byte> bytes) override {
        if (partial_ == nullptr && !done_) {
            throw_spent(sha256_);
        }
        check_append(sha256_, offset, this->offset(), bytes.size(), declared_);
        if (bytes.empty()) {
            return;
        }
        check_room("in memory", bytes.size(), state_->free(), state_->options);
        const std::scoped_lock lock(state_->mutex);
        partial_->bytes.insert(partial_->bytes.end(), bytes.begin(), bytes.end());
        partial_->written_at = state_->options.now();
    }

    void commit() override {
        if (done_) {
            return;
        }
        if (partial_ == nullptr) {
            throw_spent(sha256_);
        }
        check_complete(sha256_, offset(), declared_);
        Sha256 hash;
        hash.update(partial_->bytes);
        const std::string found = hash.hex();

        const std::scoped_lock lock(state_->mutex);
        Bytes bytes = std::move(partial_->bytes);
        std::list<Partial>& slots = state_->partials[sha256_];
        slots.remove_if([this](const Partial& slot) { return &slot == partial_; });
        partial_ = nullptr;
        check_content(sha256_, found);
        Stored& stored = state_->stored[sha256_];
        stored.put_at = state_->options.now();
        if (!stored.bytes) {
            stored.bytes = std::make_shared<const Bytes>(std::move(bytes));
        }
        done_ = true;
    }

private:
    std::shared_ptr<MemoryStore::State> state_;
    std::string sha256_;
    std::uint64_t declared_;
    Partial* partial_;
    bool done_;
};

}  // namespace

MemoryStore::MemoryStore(StoreOptions options) : state_(std::make_shared<State>()) {
    state_->options = std::move(options);
}

std::unique_ptr<Upload> MemoryStore::begin_put(const std::string& sha256, std::uint64_t bytes) {
    check_hash(sha256);
    check_upload_size(sha256, bytes, state_->options);
    const std::scoped_lock lock(state_->mutex);
    if (const auto found = state_->stored.find(sha256); found != state_->stored.end()) {
        check_same_size(sha256, found->second.bytes->size(), bytes);
        found->second.put_at = state_->options.now();
        return std::make_unique<MemoryUpload>(state_, sha256, bytes, nullptr);
    }
    std::list<Partial>& slots = state_->partials[sha256];
    Partial* best = nullptr;
    for (Partial& slot : slots) {
        if (!slot.held && (best == nullptr || slot.bytes.size() > best->bytes.size())) {
            best = &slot;
        }
    }
    if (best == nullptr && slots.size() >= kMaxWritersPerHash) {
        throw_too_many_writers(sha256);
    }
    const std::uint64_t here =
        best != nullptr && best->bytes.size() <= bytes ? best->bytes.size() : 0;
    check_room("in memory", bytes - here, state_->free(), state_->options);
    if (best == nullptr) {
        best = &slots.emplace_back();
    }
    best->bytes.resize(here);  // longer than declared: not this content
    best->held = true;
    best->written_at = state_->options.now();
    return std::make_unique<MemoryUpload>(state_, sha256, bytes, best);
}

std::uint64_t MemoryStore::look_up(const std::string& sha256, std::uint64_t bytes) {
    check_hash(sha256);
    check_upload_size(sha256, bytes, state_->options);
    const std::scoped_lock lock(state_->mutex);
    if (const auto found = state_->stored.find(sha256); found != state_->stored.end()) {
        check_same_size(sha256, found->second.bytes->size(), bytes);
        found->second.put_at = state_->options.now();
        return bytes;
    }
    std::uint64_t here = 0;
    if (const auto slots = state_->partials.find(sha256); slots != state_->partials.end()) {
        for (const Partial& slot : slots->second) {
            here = std::max<std::uint64_t>(here, slot.held ? 0 : slot.bytes.size());
        }
    }
    here = here <= bytes ? here : 0;
    check_room("in memory", bytes - here, state_->free(), state_->options);
    return here;
}

std::unique_ptr<Artifact> MemoryStore::open(const std::string& sha256) const {
    check_hash(sha256);
    const std::scoped_lock lock(state_->mutex);
    const auto found = state_->stored.find(sha256);
    if (found == state_->stored.end()) {
        throw_not_found(sha256);
    }
    return std::make_unique<MemoryArtifact>(sha256, found->second.bytes);
}

std::filesystem::path MemoryStore::local_file(const std::string& sha256) const {
    const std::unique_ptr<Artifact> artifact = open(sha256);
    std::string text(artifact->size(), '\0');
    (void)artifact->read(0, std::as_writable_bytes(std::span(text)));
    const std::filesystem::path file = state_->copies.path() / sha256;
    const std::scoped_lock lock(state_->mutex);
    write_file(file, text);
    return file;
}

std::optional<std::uint64_t> MemoryStore::size(const std::string& sha256) const {
    check_hash(sha256);
    const std::scoped_lock lock(state_->mutex);
    const auto found = state_->stored.find(sha256);
    return found == state_->stored.end() ? std::nullopt
                                         : std::optional(found->second.bytes->size());
}

bool MemoryStore::remove(const std::string& sha256) {
    check_hash(sha256);
    const std::scoped_lock lock(state_->mutex);
    return state_->stored.erase(sha256) == 1;
}

bool MemoryStore::remove_if_idle(const std::string& sha256, TimePoint since) {
    check_hash(sha256);
    const std::scoped_lock lock(state_->mutex);
    const auto found = state_->stored.find(sha256);
    if (found != state_->stored.end() && found->second.put_at > since) {
        return false;
    }
    state_->stored.erase(sha256);
    return true;
}

std::vector<ArtifactInfo> MemoryStore::list() const {
    const std::scoped_lock lock(state_->mutex);
    std::vector<ArtifactInfo> result;
    for (const auto& [sha256, stored] : state_->stored) {
        result.push_back({sha256, stored.bytes->size(), stored.put_at});
    }
    return result;
}

std::size_t MemoryStore::expire_partials() {
    const std::scoped_lock lock(state_->mutex);
    const TimePoint limit = state_->options.now() - state_->options.partial_lifetime;
    std::size_t n_removed = 0;
    for (auto& [sha256, slots] : state_->partials) {
        n_removed += slots.remove_if(
            [limit](const Partial& slot) { return !slot.held && slot.written_at <= limit; });
    }
    std::erase_if(state_->partials, [](const auto& entry) { return entry.second.empty(); });
    return n_removed;
}

}  // namespace kaname::artifacts::memory
