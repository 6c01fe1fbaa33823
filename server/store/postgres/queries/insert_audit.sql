-- SPDX-License-Identifier: BSD-3-Clause
insert into audit (principal, role, method, resource, outcome)
values ($1, $2, $3, $4, $5)
