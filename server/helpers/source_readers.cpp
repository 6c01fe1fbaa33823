// SPDX-License-Identifier: BSD-3-Clause
#include "server/helpers/source_readers.hpp"

#include <algorithm>

#include "solvers/base/error.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::helpers {

SourceReaders::SourceReaders(SourceReadersOptions options)
    : options_(std::move(options)), keeper_([this] { keep(); }) {}

SourceReaders::~SourceReaders() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    asked_.notify_all();
    keeper_.join();
}

Block SourceReaders::read(const std::string& spec_json, std::span<const NamedFile> inputs,
                          std::span<const NamedFile> sources) {
    const std::string key = sha256_hex(list_of(inputs) + '\n' + spec_json);
    for (bool again = false;; again = true) {
        std::unique_ptr<SourceReader> reader = take(key);
        bool proven = false;
        try {
            if (!reader) {
                reader = start(inputs, spec_json);
            }
            proven = reader->proven();
            Block block = reader->read(sources, options_.limit);
            give(key, std::move(reader));
            return block;
        } catch (const run::SessionEnded&) {
            give(key, nullptr);
            if (!proven || again) {
                throw;
            }
        } catch (...) {
            give(key, reader && reader->usable() ? std::move(reader) : nullptr);
            throw;
        }
    }
}

std::unique_ptr<SourceReader> SourceReaders::take(const std::string& key) {
    const auto deadline = Clock::now() + options_.limit;
    std::vector<std::unique_ptr<SourceReader>> closed;  // ended when the lock is released
    std::unique_lock lock(mutex_);
    for (;;) {
        const auto found = slots_.find(key);
        if (found != slots_.end() && !found->second.busy) {
            found->second.busy = true;
            return std::move(found->second.reader);
        }
        if (found == slots_.end()) {
            if (slots_.size() >= static_cast<std::size_t>(options_.most)) {
                closed = take_idle(std::chrono::milliseconds(0), 1);
            }
            if (slots_.size() < static_cast<std::size_t>(options_.most)) {
                slots_[key];
                lock.unlock();
                return nullptr;
            }
        }
        if (changed_.wait_until(lock, deadline) == std::cv_status::timeout) {
            throw Error(ErrorCode::Unavailable, "all readers of results were busy for " +
                                                    std::to_string(options_.limit.count()) +
                                                    " s; call again");
        }
    }
}

void SourceReaders::give(const std::string& key, std::unique_ptr<SourceReader> reader) {
    {
        const std::lock_guard lock(mutex_);
        if (reader) {
            slots_[key] = {std::move(reader), false, Clock::now()};
        } else {
            slots_.erase(key);
        }
    }
    changed_.notify_all();
}

std::unique_ptr<SourceReader> SourceReaders::start(std::span<const NamedFile> inputs,
                                                   const std::string& spec_json) {
    std::future<std::unique_ptr<SourceReader>> started;
    {
        const std::lock_guard lock(mutex_);
        const auto folder = options_.scratch / std::to_string(++n_started_);
        started = starts_
                      .emplace_back([this, folder, inputs, &spec_json] {
                          return std::make_unique<SourceReader>(
                              SourceReader::Start{options_.program,
                                                  folder,
                                                  {inputs.begin(), inputs.end()},
                                                  options_.threads,
                                                  options_.limits},
                              spec_json);
                      })
                      .get_future();
    }
    asked_.notify_all();
    return started.get();
}

std::vector<std::unique_ptr<SourceReader>> SourceReaders::take_idle(std::chrono::milliseconds idle,
                                                                    std::size_t most) {
    std::vector<std::unique_ptr<SourceReader>> taken;
    while (taken.size() < most) {
        auto oldest = slots_.end();
        for (auto slot = slots_.begin(); slot != slots_.end(); ++slot) {
            if (!slot->second.busy &&
                (oldest == slots_.end() || slot->second.used < oldest->second.used)) {
                oldest = slot;
            }
        }
        if (oldest == slots_.end() || Clock::now() - oldest->second.used < idle) {
            break;
        }
        taken.push_back(std::move(oldest->second.reader));
        slots_.erase(oldest);
    }
    return taken;
}

void SourceReaders::keep() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
        while (!starts_.empty()) {
            auto start = std::move(starts_.front());
            starts_.pop_front();
            lock.unlock();
            start();
            lock.lock();
        }
        auto closed = take_idle(options_.idle, slots_.size());
        if (!closed.empty()) {
            lock.unlock();
            closed.clear();
            changed_.notify_all();
            lock.lock();
            continue;
        }
        asked_.wait_for(lock, options_.idle / 4, [&] { return ends_ || !starts_.empty(); });
    }
    auto closed = take_idle(std::chrono::milliseconds(0), slots_.size());
    lock.unlock();
}

}  // namespace kaname::helpers
