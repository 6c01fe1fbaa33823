// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/limits.hpp"

#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::service {
namespace {

void check_open(const Limit& limit, const std::string& whose, int open, int most) {
    if (open >= most) {
        throw Error(ErrorCode::Exhausted, std::string(limit.name) + ": at most " +
                                              std::to_string(most) + " may be open at a time " +
                                              whose + "; end some, or call again later");
    }
}

void drop_one(std::map<std::string, int>& counts, const std::string& key) {
    const auto found = counts.find(key);
    if (found != counts.end() && --found->second == 0) {
        counts.erase(found);
    }
}

int count_of(const std::map<std::string, int>& counts, const std::string& key) {
    const auto found = counts.find(key);
    return found == counts.end() ? 0 : found->second;
}

}  // namespace

Limits::Place::Place(Limits& limits, const Limit& limit, std::string principal,
                     std::string connection)
    : limits_(&limits),
      limit_(&limit),
      principal_(std::move(principal)),
      connection_(std::move(connection)) {}

Limits::Place::Place(Place&& other) noexcept
    : limits_(std::exchange(other.limits_, nullptr)),
      limit_(other.limit_),
      principal_(std::move(other.principal_)),
      connection_(std::move(other.connection_)) {}

Limits::Place& Limits::Place::operator=(Place&& other) noexcept {
    std::swap(limits_, other.limits_);
    std::swap(limit_, other.limit_);
    std::swap(principal_, other.principal_);
    std::swap(connection_, other.connection_);
    return *this;
}

Limits::Place::~Place() {
    if (limits_ != nullptr) {
        limits_->give_back(*limit_, principal_, connection_);
    }
}

Limits::Place Limits::take(const Limit& limit, const std::string& principal,
                           const std::string& connection) {
    const std::lock_guard lock(mutex_);
    Counts& counts = counts_[&limit];
    check_open(limit, "by \"" + principal + '"', count_of(counts.by_principal, principal),
               limit.per_principal);
    if (!connection.empty()) {
        check_open(limit, "on one connection", count_of(counts.by_connection, connection),
                   limit.per_connection);
    }
    check_open(limit, "in all", counts.all, limit.in_all);
    ++counts.all;
    ++counts.by_principal[principal];
    if (!connection.empty()) {
        ++counts.by_connection[connection];
    }
    return {*this, limit, principal, connection};
}

void Limits::give_back(const Limit& limit, const std::string& principal,
                       const std::string& connection) {
    const std::lock_guard lock(mutex_);
    Counts& counts = counts_[&limit];
    --counts.all;
    drop_one(counts.by_principal, principal);
    if (!connection.empty()) {
        drop_one(counts.by_connection, connection);
    }
}

}  // namespace kaname::service
