// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/compute_main.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include <unistd.h>

#include "proto/request/form/json.hpp"
#include "proto/request/form/text.hpp"
#include "solvers/base/log_line.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/comm/mpi/mpi_comm.hpp"
#include "solvers/device/threads.hpp"
#include "worker/compute/tools.hpp"
#include "worker/run/events.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

using Kinds = std::span<const Kind* const>;

struct VerbOptions {
    Call call;
    std::vector<std::string> inputs;  ///< LABEL=PATH
    std::string input_list;
    int threads = 0;
    bool watch_stdin = false;
};

/// Returns a number that mpirun sets in the environment, before MPI is up; 0 if mpirun did not
/// start this process.
int mpirun_says(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr ? std::atoi(value) : 0;
}

/// Before the request is read: MPI comes first, so that a bad one is told by one rank.
bool may_run_on_ranks(Kinds kinds, const std::string& verb) {
    return std::ranges::any_of(kinds, [&](const Kind* kind) {
        return std::ranges::any_of(
            kind->verbs, [&](const Verb& one) { return one.on_ranks && one.name == verb; });
    });
}

std::string schema_of(const std::string& request_path) {
    return request::schema_of_json(request::read_text_file(request_path),
                                   "file '" + request_path + "'");
}

int run_verb(VerbOptions options, Kinds kinds, Reporter& reporter) {
    Call& call = options.call;
    if (options.threads > 0) {
        device::set_threads(options.threads);
    }
    const int ranks = may_run_on_ranks(kinds, call.verb) ? mpirun_says("OMPI_COMM_WORLD_SIZE") : 0;
    const bool parallel = ranks > 0 && comm::MpiSession::compiled_in();
    if (ranks > 1 && !parallel) {
        throw Error(ErrorCode::Unavailable,
                    "this kaname-compute was built without MPI and cannot run " +
                        std::to_string(ranks) + " ranks");
    }
    std::optional<comm::MpiSession> session;
    std::unique_ptr<comm::Comm> comm;
    if (parallel) {
        session.emplace();
        comm = comm::make_mpi_comm(*session);
    } else {
        comm = std::make_unique<comm::SerialComm>();
    }
    // Lives as long as the thread that fills it: to the end of the process.
    static CommandQueue commands;
    if (comm->rank() == 0 && call.serve) {
        read_commands(commands);
    } else if (comm->rank() == 0 && options.watch_stdin) {
        end_with_stdin();
    }
    const std::string trace = trace_id_of(traceparent_of_environment());
    if (comm->rank() == 0 && !trace.empty() && !call.serve) {
        reporter.log("trace " + trace);
    }
    std::string gpu;
    const Outcome outcome = guarded(comm->rank(), gpu, reporter, [&] {
        const Verb& verb = find_verb(kinds, schema_of(call.request), call.verb);
        for (const std::string& text : options.inputs) {
            add_input(text, call.inputs);
        }
        if (!options.input_list.empty()) {
            add_input_list(options.input_list, call.inputs);
        }
        check_call(call, verb);
        check_work(call);
        Runtime runtime{*comm, mpirun_says("OMPI_COMM_WORLD_LOCAL_RANK"), gpu, commands, reporter};
        return (call.serve ? verb.serve : verb.once)(call, runtime);
    });
    if (parallel && outcome.gave_up) {
        // The others may wait for this rank in a collective call. An error that all ranks share
        // is another's to tell, which an early abort would cut short.
        if (!outcome.told) {
            std::this_thread::sleep_for(std::chrono::seconds(2));
        }
        session->abort(outcome.code);
    }
    return outcome.code;
}

void add_options(command::Command& verb, VerbOptions& options) {
    Call& call = options.call;
    verb.add_options({
        {"--spec", &call.request, "Request as JSON", command::kRequired},
        {"--files", &call.files, "Folder where its files lie by their SHA-256, or a list of them"},
        {"--input", &options.inputs, "LABEL=PATH of an earlier result", {.one_each = true}},
        {"--inputs", &options.input_list, "List of them: lines of label, tab, path"},
        {"--item", &call.item, "Label of the task, where several have this verb"},
        {"--out", &call.out, "File to write"},
        {"--work", &call.work, "Folder of results, a file for each item"},
        {"--only", &call.only, "Leave out items that are not finished"},
        {"--serve", &call.serve, "Set up once, then do the packs that are named on standard input"},
        {"--threads",
         &options.threads,
         "Threads of this process; 0: all cores",
         {.check = command::kNotNegative}},
        {"--device",
         &call.device,
         "auto: a GPU where there is one and the job can run on it",
         {.check = command::one_of("auto|cpu|cuda")}},
        {"--watch-stdin", &options.watch_stdin, "End when standard input ends"},
    });
}

/// The verbs of all kinds; which of them a request has, its schema says.
void add_verbs(command::Command& program, Kinds kinds, VerbOptions& options, Action& chosen) {
    std::set<std::string> added;
    for (const Kind* kind : kinds) {
        for (const Verb& verb : kind->verbs) {
            if (added.insert(verb.name).second) {
                command::Command& one = program.add_command(verb.name, verb.what);
                add_options(one, options);
                one.chosen = [&options, &chosen, kinds, name = verb.name] {
                    options.call.verb = name;
                    chosen = [&options, kinds](Reporter& reporter) {
                        return run_verb(options, kinds, reporter);
                    };
                };
            }
        }
    }
}

/// A word that is no verb is refused as any other mistake is, by an event.
void add_unknown(command::Command& program, const std::string& word, Action& chosen) {
    if (word.empty() || word.front() == '-') {
        return;
    }
    std::string known;
    for (const command::Command& verb : program.commands) {
        if (verb.name == word) {
            return;
        }
        known += (known.empty() ? "" : ", ") + verb.name;
    }
    command::Command& unknown = program.add_command(word, "");
    unknown.any_words = true;
    unknown.chosen = [&chosen, word, known] {
        chosen = [word, known](Reporter&) -> int {
            throw Error(ErrorCode::InvalidArgument,
                        "verb '" + word + "' is not known; known are " + known);
        };
    };
}

}  // namespace

int compute_main(int argc, const char* const* argv, Kinds kinds) {
    command::Command program{
        .name = "",
        .what =
            "Computes one stage of a job. Events go to standard output as lines that begin "
            "with @kaname; other lines are log.",
        .footer = run::kExitCodesHelp,
        .version = std::string("kaname-compute ") + KANAME_VERSION,
        .needs_command = true};
    VerbOptions options;
    Action chosen;
    add_verbs(program, kinds, options, chosen);
    add_tools(program, chosen);
    add_unknown(program, argc > 1 ? argv[1] : "", chosen);
    try {
        (void)command::read(program, argc, argv);
    } catch (const command::Ended& ended) {
        return ended.print();
    }
    Reporter reporter(std::cout);
    const int code = guarded(mpirun_says("OMPI_COMM_WORLD_RANK"), "", reporter, [&] {
                         return chosen(reporter);
                     }).code;
    if (!std::cout.flush()) {
        std::cerr << "error: standard output: cannot be written\n";
        return code == run::kExitOk ? run::kExitUnavailable : code;
    }
    return code;
}

Outcome guarded(int rank, const std::string& gpu, Reporter& reporter,
                const std::function<int()>& verb) {
    try {
        return {verb(), false, false};
    } catch (const std::exception& error) {
        run::Failure failure = run::describe(error);
        const bool of_another_rank =
            failure.code == ErrorCode::DeviceFault && !failure.device_fault;
        const bool tells = failure.device_fault || (rank == 0 && !of_another_rank);
        if (failure.device_fault && failure.device_fault->gpu.empty()) {
            failure.device_fault->gpu = gpu;
        }
        if (tells) {
            reporter.failure(failure);
        } else {
            std::cerr << "error: rank " << rank << ": " << failure.message << std::endl;
        }
        return {run::exit_code(failure.code), true, tells};
    }
}

namespace {

// The signal handler may call next to nothing; so the line that it writes is made beforehand. It
// has a stack of its own, since the fault may be that the other one is exhausted.
std::string g_line;
std::array<char, 1U << 16U> g_stack;

void tell_and_end(int /*signal*/) {
    [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, g_line.data(), g_line.size());
    ::_exit(run::kExitBadInput);
}

}  // namespace

void blame_memory_faults_on(const std::string& file) {
    g_line = '\n' +
             run::to_line(run::Failure{ErrorCode::InvalidArgument,
                                       file + ": is damaged: HDF5 broke down while reading it",
                                       {}}) +
             '\n';
    stack_t stack{};
    stack.ss_sp = g_stack.data();
    stack.ss_size = g_stack.size();
    (void)::sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_handler = tell_and_end;
    action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) {
        (void)::sigaction(fault, &action, nullptr);
    }
}

}  // namespace kaname::compute
