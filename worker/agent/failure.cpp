// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/failure.hpp"

#include <filesystem>

#include "proto/report/report.hpp"
#include "solvers/base/device_error.hpp"
#include "worker/agent/stages/watch.hpp"

namespace kaname::agent {
namespace {

std::string text_of(const Error& error) {
    const auto* invalid = dynamic_cast<const ValidationError*>(&error);
    return invalid != nullptr && invalid->violations().empty() ? "invalid" : error.what();
}

}  // namespace

StageFailure describe_failure(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const Broken& broken) {
        return {broken.error_class, broken.what(), FailureKind::Crash};
    } catch (const DeviceError& error) {
        // Not the tasks' fault where the hardware is to blame; else they may have brought it about.
        return {
            std::string(to_string(error.code())), error.what(),
            kaname::blames_hardware(error.fault()) ? FailureKind::Retryable : FailureKind::Crash};
    } catch (const report::BrokenReport& error) {
        return {"unexpected", error.what(), FailureKind::Retryable};
    } catch (const Error& error) {
        // A server that is away, or a full disk here, is nobody's fault.
        const bool again = is_retryable(error.code()) || error.code() == ErrorCode::Exhausted;
        return {std::string(to_string(error.code())), text_of(error),
                again ? FailureKind::Retryable : FailureKind::Final};
    } catch (const InputMissing& missing) {
        return {"input_missing", missing.what(), FailureKind::Retryable};
    } catch (const std::filesystem::filesystem_error& error) {
        return {"disk", error.what(), FailureKind::Retryable};
    } catch (const std::exception& error) {
        return {"unexpected", error.what(), FailureKind::Retryable};
    }
}

}  // namespace kaname::agent
