-- SPDX-License-Identifier: BSD-3-Clause
-- The reaper looks for the open attempts of lost workers in a table that only grows.
create index attempt_open on attempt (worker_id) where outcome is null;
