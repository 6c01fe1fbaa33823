-- SPDX-License-Identifier: BSD-3-Clause
-- Attempts that were given back uncounted since the task last made progress.
alter table task add column refunds integer not null default 0;
