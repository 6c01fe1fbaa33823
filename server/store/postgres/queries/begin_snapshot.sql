-- SPDX-License-Identifier: BSD-3-Clause
begin isolation level repeatable read
