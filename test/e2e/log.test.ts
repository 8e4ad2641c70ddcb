// @module-tag long
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { takeAwayAuditRows } from '../support/service/audit-rows.ts'
import { ADMIN_PASSWORD, callerOf } from '../support/service/service.ts'
import { start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

const READY = /^cairn ready (\S+)\n$/
const Line = z.looseObject({
  level: z.string(),
  message: z.string(),
  request: z.string().optional(),
})

async function startLogging(env: Readonly<Record<string, string>> = {}, flags: string[] = []) {
  const cwd = tempDir()
  const places = ['--port', '0', '--admin-password', ADMIN_PASSWORD]
  const program = start(['serve', ...places, ...flags], { cwd, env })
  const fetch = callerOf(await program.line(READY))
  const lines = () =>
    program.stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => Line.parse(JSON.parse(line)))
  const linesOf = (request: string) => lines().filter((line) => line.request === request)
  return { cwd, program, fetch, linesOf }
}

describe('the log of cairn serve', () => {
  it.each([
    ['the flag', {}, ['--log-level', 'debug']],
    ['the variable', { CAIRN_LOG_LEVEL: 'debug' }, []],
  ])('has the start and the end of every request at debug, by %s', async (_, env, flags) => {
    const { program, fetch, linesOf } = await startLogging(env, flags)

    for (const id of ['first', 'second', 'third']) {
      const headers = { 'x-request-id': id }
      // Read to its end, so that the next request can come over the same connection.
      await (await fetch('/api/admin/config.xml', { headers })).text()
    }
    await fetch('/api/admin/config.xml?token=hush', { headers: { 'x-request-id': 'last' } })
    await expect.poll(() => linesOf('last').length).toBe(2)

    for (const request of ['first', 'second', 'third', 'last']) {
      const asked = { level: 'debug', request, method: 'GET', path: '/api/admin/config.xml' }
      expect(linesOf(request)).toEqual([
        expect.objectContaining({ ...asked, message: 'A request began' }),
        expect.objectContaining({ ...asked, user: 'admin', status: 200, ms: expect.any(Number) }),
      ])
    }
    expect(program.stderr).not.toContain('hush')
    expect(program.stderr).not.toContain(ADMIN_PASSWORD)
    expect(program.stderr).not.toMatch(/authorization|basic /i)
  })

  it('has a refused request once at its end, whatever the level', async () => {
    const { fetch, linesOf } = await startLogging({}, ['--log-level', 'debug'])

    const headers = { 'x-request-id': 'refused' }
    await fetch('/api/agents/x/enable', { method: 'POST', headers })
    await expect.poll(() => linesOf('refused').length).toBe(2)

    expect(linesOf('refused').map(({ level }) => level)).toEqual(['debug', 'info'])
  })

  it('has nothing of a read that succeeds otherwise', async () => {
    const { fetch, linesOf } = await startLogging()

    await fetch('/api/admin/config.xml', { headers: { 'x-request-id': 'read' } })
    const headers = { 'x-request-id': 'refused' }
    await fetch('/api/agents/x/enable', { method: 'POST', headers })
    await expect.poll(() => linesOf('refused').length).toBe(1)

    expect(linesOf('read')).toEqual([])
  })

  it('names the lines of the sources where a request failed; its answer does not', async () => {
    const { cwd, fetch, linesOf } = await startLogging()
    await fetch('/api/agents/x/enable', { method: 'POST' })
    takeAwayAuditRows(join(cwd, 'state'))

    const answer = await fetch('/api/audit', { headers: { 'x-request-id': 'failed' } })

    expect(await answer.text()).toBe('{"message":"Internal server error"}')
    await expect.poll(() => linesOf('failed').length).toBe(2)
    const stack = String(linesOf('failed')[0]?.['error'])
    expect(stack).toMatch(/ at AuditLog\.read \(\S+\/src\/state\/audit-log\.ts:\d+:\d+\)/)
    for (const [, file = '', row, column] of stack.matchAll(/(\/\S+\.ts):(\d+):(\d+)/g)) {
      const line = readFileSync(file, 'utf8').split('\n')[Number(row) - 1]
      expect(line?.slice(Number(column) - 1)).toMatch(/^(\w|#)/)
    }
  })
})
