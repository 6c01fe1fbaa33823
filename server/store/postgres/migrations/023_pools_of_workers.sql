-- SPDX-License-Identifier: BSD-3-Clause
-- A task that failed with one token is left to workers of others that claim from its pool.

-- Pools of a worker's last claim; none while it may claim nothing.
alter table worker add column pools text[] not null default '{}';
