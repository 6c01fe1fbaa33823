// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "proto/kaname/v1/report.pb.h"
#include "solvers/comm/comm.hpp"
#include "worker/jobs/frame/reporter.hpp"

namespace kaname::compute {

/// CommandQueue takes in the standard input of a session, one SolveCommand per line:
///   {"cmd": "pack", "id": "7", "sources": ["s00d00/dip_slip", ...]}
///   {"cmd": "cancel", "id": "7"}
/// Commands that arrive while a pack is worked on wait; cancels are known at once.
class CommandQueue {
public:
    void push_line(const std::string& line);
    /// Returns the next pack, after waiting for `patience` at most.
    [[nodiscard]] std::optional<v1::SolveCommand> next(std::chrono::milliseconds patience);
    [[nodiscard]] bool cancelled(const std::string& id);

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<v1::SolveCommand> packs_;
    std::set<std::string> cancelled_;
};

/// Feeds the queue from standard input in a thread of its own; its end ends the process at once.
void read_commands(CommandQueue& queue);

/// The next pack of rank 0's queue, on every rank; nothing where none came for a moment.
/// Collective.
[[nodiscard]] std::optional<v1::SolveCommand> next_on_all(comm::Comm& comm, CommandQueue& queue);

/// A verb of a request as it was called.
struct Call {
    std::string verb;
    std::string request = {};  ///< path of the request as JSON
    std::string files = {};  ///< folder of its files by their SHA-256; empty: the paths in it hold
    Inputs inputs = {};
    std::string item = {};  ///< label of the task: which of those that have this verb
    std::string out = {};   ///< file to write
    std::string work = {};  ///< folder of results, a file for each item
    bool only = false;      ///< leave out the items that have no input
    bool serve = false;     ///< as a session
    std::string device = "auto";
};

/// Runtime holds the environment in which a verb runs.
struct Runtime {
    comm::Comm& comm;    ///< all ranks that run it
    int local_rank = 0;  ///< among the ranks of this machine
    std::string& gpu;    ///< the verb's to fill in: UUID of this rank's GPU, told with its faults
    CommandQueue& commands;  ///< of a session; filled on rank 0
    Reporter& reporter;
};

/// Use tells whether a verb takes an option.
enum class Use { No, May, Must };

/// One verb of a kind of request. Verbs are collective, report on rank 0 and return an exit code
/// of worker/run/exit_code.hpp; what ends one early is thrown.
struct Verb {
    using Run = int (*)(const Call& call, Runtime& runtime);

    std::string name, what;                             ///< what: a line for people
    std::vector<std::string> inputs = {};               ///< labels of the results that it needs
    bool more_inputs = false;                           ///< any other input is one of its items
    Use out = Use::No, work = Use::No, only = Use::No;  ///< of `once`; a session takes work alone
    bool on_ranks = false;                              ///< may run on several ranks
    Run once = nullptr, serve = nullptr;                ///< null: not in this way
};

/// A kind of request: the requests that are one, by their `schema`, and its verbs.
struct Kind {
    std::vector<std::string> schemas;
    std::vector<Verb> verbs;
};

/// The verb of the kind that has the schema. Throws InvalidArgument that lists what is known.
[[nodiscard]] const Verb& find_verb(std::span<const Kind* const> kinds, const std::string& schema,
                                    const std::string& verb);

/// Throws InvalidArgument where the call lacks what the verb needs or has what it does not take.
void check_call(const Call& call, const Verb& verb);
/// Throws InvalidArgument where the call's folder of work is not there.
void check_work(const Call& call);

/// The file that has this label. Throws InvalidArgument.
[[nodiscard]] const std::string& input(const Call& call, const std::string& label);

}  // namespace kaname::compute
