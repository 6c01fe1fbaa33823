// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <concepts>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "proto/kaname/v1/answer.pb.h"
#include "proto/kaname/v1/artifacts_service.pb.h"
#include "proto/kaname/v1/report.pb.h"

namespace kaname::helpers {

/// Who wants something: whose turn it is, and whether it has gone meanwhile. Without an owner it is
/// nobody's, without a question it stays.
class Caller {
public:
    Caller() = default;
    template <std::predicate Gone>
    Caller(Gone gone) : gone_(std::move(gone)) {}  // NOLINT(*-explicit-*)
    Caller(std::string owner, std::function<bool()> gone)
        : owner_(std::move(owner)), gone_(std::move(gone)) {}

    [[nodiscard]] const std::string& owner() const { return owner_; }
    [[nodiscard]] bool gone() const { return gone_ && gone_(); }
    /// Returns this caller with `owner` in place of its owner.
    [[nodiscard]] Caller of(std::string owner) const { return {std::move(owner), gone_}; }

private:
    std::string owner_;
    std::function<bool()> gone_;
};

/// The result of a task, by the task's label.
struct NamedFile {
    std::string name;
    std::filesystem::path file;
};

/// A block of Green's functions in memory.
struct Block {
    std::vector<std::string> source_ids;
    std::vector<double> epochs_s;
    std::vector<std::string> station_ids;
    std::vector<std::string> components;
    std::vector<double> values;  ///< [source][epoch][station][component] m per m; NaN missing

    [[nodiscard]] std::size_t values_of_a_source() const {
        return epochs_s.size() * station_ids.size() * components.size();
    }
};

/// Numbers as little-endian float64, read as they are wanted.
class ValueStream {
public:
    /// `verb` wrote `count` of them.
    ValueStream(std::string verb, std::unique_ptr<std::istream> in, std::size_t count)
        : verb_(std::move(verb)), in_(std::move(in)), count_(count), left_(count) {}

    /// The next ones, at most `most`; nothing after the last. Throws Internal, naming the verb,
    /// when there are fewer.
    [[nodiscard]] std::vector<double> next(std::size_t most);

private:
    std::string verb_;
    std::unique_ptr<std::istream> in_;
    std::size_t count_, left_;
};

/// A block of a dataset that may be larger than memory.
struct Slice {
    Block axes;          ///< without values
    ValueStream values;  ///< in the order of a block's
};

/// Holds a dataset's answers for some rheologies.
struct AnsweredBlock {
    std::vector<double> errors;  ///< [rheology] certified, of the worst of the sources
    ValueStream values;          ///< [rheology][source][epoch][station][component]
    std::size_t n_values = 0;
};

/// Runs the verbs of kaname-compute that the server needs. Each runs in a process of its own, so
/// that a hostile request or a corrupt file ends a helper and not the server. `request_json`
/// names its files by paths that can be read here, unless they are given. Safe from any thread. A
/// few processes run at a time, some other callers wait, in turn by owner, and more are refused
/// (Exhausted). All throw the error that the verb reported (ValidationError, Error), or Internal
/// when it crashed. They throw Unavailable when it cannot be started, exceeds its time limit, or
/// its caller has gone; it is then ended within 2 s.
class Compute {
public:
    virtual ~Compute() = default;

    /// Checks everything that needs geometry. `files`: those of the request, by their
    /// SHA-256.
    virtual v1::Estimate preflight(const std::string& request_json, const Caller& caller,
                                   std::span<const NamedFile> files) = 0;
    /// Runs the verb that makes a dataset, with these results alone: what is not given is missing
    /// in it.
    virtual void gather(const std::string& verb, const std::string& request_json,
                        std::span<const NamedFile> inputs, const std::filesystem::path& dataset,
                        const Caller& caller) = 0;
    /// Values of the sources that are given, read by a process that is kept for the next call about
    /// this request and these inputs: what the dataset needs beside sources.
    virtual Block read(const std::string& request_json, std::span<const NamedFile> inputs,
                       std::span<const NamedFile> sources) = 0;
    /// Returns the wanted part of a file; the dataset that `wanted` names is ignored. Throws
    /// ValidationError naming ids that the file lacks, OutOfRange naming the axis whose indices
    /// leave it. The helper has ended by then: a slow reader holds no process.
    virtual Slice slice(const std::filesystem::path& dataset, const v1::ReadSliceRequest& wanted,
                        const Caller& caller) = 0;
    /// Axes of a dataset that answers for other rheologies, and its answers, by a process that is
    /// kept for the next call about this file. InvalidArgument for another dataset and what it does
    /// not answer.
    virtual v1::AnswerAxes answer_axes(const std::filesystem::path& dataset) = 0;
    virtual AnsweredBlock answer(const std::filesystem::path& dataset,
                                 const v1::AnswerCommand& command) = 0;
};

/// Asks kaname-compute about one file: returns the report, as JSON, of a verb that describes it.
/// Threads and errors are as in Compute.
class Describer {
public:
    virtual ~Describer() = default;

    /// `arguments`: the verb first.
    virtual std::string describe(const std::vector<std::string>& arguments,
                                 const Caller& caller) = 0;
};

/// Something that there is only so much of: places of processes, bytes of memory. Whoever asks for
/// a share waits until there is one. Those who wait take turns by owner: the owner who has least
/// comes first, and nobody has more than `most_of_one` unless by one share that is larger. Safe
/// from any thread.
class ShareQueue {
public:
    ShareQueue(std::int64_t all, std::int64_t most_of_one) : all_(all), most_of_one_(most_of_one) {}
    ShareQueue(const ShareQueue&) = delete;
    ShareQueue& operator=(const ShareQueue&) = delete;

    /// Given back at its destruction.
    class Share {
    public:
        Share(ShareQueue& turns, std::string owner, std::int64_t amount)
            : turns_(turns), owner_(std::move(owner)), amount_(amount) {}
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;
        ~Share() { turns_.give_back(owner_, amount_); }

    private:
        ShareQueue& turns_;
        const std::string owner_;
        const std::int64_t amount_;
    };

    /// Waits for the caller's share; false when the caller has gone before. Then, and only then,
    /// nothing is to be given back. More than there is counts as all.
    [[nodiscard]] bool wait_for(const Caller& caller, std::int64_t& amount);
    /// How many of the owner's calls wait.
    [[nodiscard]] int n_waiting(const std::string& owner);
    [[nodiscard]] bool is_full();

private:
    struct Waiter {
        std::string owner;
        std::int64_t amount;
    };
    /// True when nobody who waits comes before this one and its share is there.
    [[nodiscard]] bool may_go(std::list<Waiter>::const_iterator waiter) const;
    [[nodiscard]] std::int64_t used_by(const std::string& owner) const;
    [[nodiscard]] bool within_own(const Waiter& waiter) const;
    void give_back(const std::string& owner, std::int64_t amount);

    const std::int64_t all_, most_of_one_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::int64_t used_ = 0;
    std::map<std::string, std::int64_t> used_by_;
    std::list<Waiter> waiting_;  ///< in the order in which they came
};

}  // namespace kaname::helpers
