// SPDX-License-Identifier: BSD-3-Clause
#include "server/helpers/source_readers.hpp"

#include "solvers/base/sha256.hpp"

namespace kaname::helpers {

SourceReaders::SourceReaders(SourceReadersOptions options)
    : options_(std::move(options)),
      sessions_({.scratch = options_.scratch,
                 .what = "readers of results",
                 .most = options_.most,
                 .idle = options_.idle,
                 .limit = options_.limit}) {}

Block SourceReaders::read(const std::string& spec_json, std::span<const NamedFile> inputs,
                          std::span<const NamedFile> sources) {
    const auto start = [&](const std::filesystem::path& folder) {
        return std::make_unique<SourceReader>(
            SourceReader::Start{options_.program,
                                folder,
                                {inputs.begin(), inputs.end()},
                                options_.threads,
                                options_.limits ? options_.limits(folder) : run::ResourceLimits()},
            spec_json);
    };
    Block block;
    sessions_.with(sha256_hex(list_of(inputs) + '\n' + spec_json), start,
                   [&](HelperSession& reader) {
                       block = static_cast<SourceReader&>(reader).read(sources, options_.limit);
                   });
    return block;
}

}  // namespace kaname::helpers
