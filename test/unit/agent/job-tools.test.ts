import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findTools } from '../../../src/agent/job/job-tools.ts'
import { JobReport } from '../../../src/core/builds/job.ts'
import { anAssignment, sh, shell } from '../../support/builds/an-assignment.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

function program(folder: string, name: string, mode = 0o755): string {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, name)
  writeFileSync(file, '#!/bin/sh\n')
  chmodSync(file, mode)
  utimesSync(file, 1_700_000_000, 1_700_000_000)
  return file
}

function running(...commands: readonly string[]) {
  const tasks = commands.map((command) => ({ ...sh(''), run: { ...shell(''), command } }))
  return anAssignment({ tasks })
}

describe('the programs that an agent names for a job', () => {
  it('are those that its commands start, as the first folder of the path has them', async () => {
    const folder = tempDir()
    const [real, other] = [join(folder, 'real'), join(folder, 'other')]
    const file = program(real, 'build-it-7')
    mkdirSync(other)
    symlinkSync(file, join(other, 'build-it'))
    program(real, 'build-it')
    program(other, 'not-executable', 0o644)

    const path = `${other}:${real}`
    const tools = await findTools(running('build-it', './local', 'not-executable'), path)

    expect(tools.slice(0, 2)).toEqual([
      { name: 'build-it', path: file, size: 10, modifiedAt: 1_700_000_000_000 },
      { name: 'not-executable', path: '', size: 0, modifiedAt: 0 },
    ])
    expect(tools.some(({ name }) => name.includes('local'))).toBe(false)
  })

  it('fit into a report, however many commands there are and however they are named', async () => {
    const commands = Array.from({ length: 80 }, (_, n) => `tool-${n}`)
    const tools = await findTools(running('x'.repeat(101), 'a\0b', '', ...commands), '/nowhere')

    const report = JobReport.safeParse({ state: 'Preparing', tools })

    expect(report.success).toBe(true)
    expect(tools).toHaveLength(50)
  })
})
