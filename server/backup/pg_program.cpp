// SPDX-License-Identifier: BSD-3-Clause
#include "server/backup/pg_program.hpp"

#include <chrono>

#include "server/store/postgres/postgres_backup.hpp"
#include "solvers/base/error.hpp"
#include "worker/run/process.hpp"

namespace kaname::backup {
namespace {

constexpr std::chrono::milliseconds kLook{200};
constexpr std::size_t kMostWords = 4000;

/// Runs a program and returns the beginning of what it printed on standard output and standard
/// error. Throws Unavailable, with that text, when it fails.
std::string said_by(const std::vector<std::string>& argv,
                    std::map<std::string, std::optional<std::string>> variables) {
    variables["LC_ALL"] = "C";
    run::Process child({.argv = argv, .env = std::move(variables)});
    std::string said;
    while (child.read_lines(kLook, [&](run::Source, std::string_view line) {
        if (said.size() < kMostWords) {
            said += std::string(line) + '\n';
        }
    })) {
    }
    const run::ExitStatus status = child.wait();
    if (!status.ok()) {
        throw Error(ErrorCode::Unavailable,
                    argv.front() + " ended with " + status.text() + ":\n" + said);
    }
    return said;
}

}  // namespace

void PgProgram::run(const std::vector<std::string>& arguments) const {
    std::vector<std::string> argv = {program.string()};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    (void)said_by(argv, store::environment_of(conninfo));
}

std::string PgProgram::version() const {
    const std::string said = said_by({program.string(), "--version"}, {});
    return said.substr(0, said.find('\n'));
}

}  // namespace kaname::backup
