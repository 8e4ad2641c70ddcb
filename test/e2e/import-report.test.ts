import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { EVERYTHING } from '../support/documents/everything.ts'
import { Source, Target } from '../support/history/import-places.ts'
import { command } from '../support/programs/command.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

const AGENT = { uuid: 'u-2', hostname: 'builder', ip_address: '10.0.0.2' }

describe('the report of cairn import', () => {
  it('names what will not run, what was taken and what was not, as text and as JSON', async () => {
    const [source, target] = [new Source(), new Target()]
    source.commit('Ana', EVERYTHING)
    const agents = join(target.cwd, 'agents.json')
    writeFileSync(agents, JSON.stringify([AGENT, { ...AGENT, uuid: 'u', status: 'Idle' }]))

    const told = await target.import(source.folder, '--agents', agents)
    const again = await target.import(source.folder, '--agents', agents, '--json')

    expect(told).toMatchObject({ code: 0 })
    expect(told.stdout).toContain('Listed 1 agent, 0 of them disabled\n')
    expect(told.stdout).toContain('not builder (u): the configuration has it already\n')
    expect(told.stdout).toContain('Not taken: runs, consoles and artifacts: ')
    expect(told.stdout).toMatch(/conf\.xml:\d+:\d+: config-repo\/c1: the configuration repository/)
    expect(JSON.parse(again.stdout)).toMatchObject({
      history: { imported: 0, known: 1 },
      agents: { taken: [], left: [{ uuid: 'u-2' }, { uuid: 'u' }] },
      willNotRun: expect.arrayContaining([
        expect.objectContaining({ entity: 'server', what: 'the webhookSecret' }),
      ]),
    })
    expect(target.git('show', 'HEAD:config.xml')).toContain('uuid="u-2"')
  })

  it('is made of a file, a folder or a repository alone, and writes nothing', async () => {
    const [source, folder] = [new Source(), tempDir()]
    source.commit('Ana', EVERYTHING)
    writeFileSync(join(folder, 'cruise-config.xml'), EVERYTHING)
    const places = ['--config-repo', join(folder, 'r'), '--state-dir', join(folder, 's'), '--json']
    const report = (from: string, ...flags: readonly string[]) =>
      command(['import', '--report-only', from, ...places, ...flags])

    const reports = [
      await report(join(folder, 'cruise-config.xml')),
      await report(folder),
      await report(source.folder, '--file', 'conf.xml'),
    ].map(({ code, stdout }) => ({ code, report: JSON.parse(stdout) }))

    const [first] = reports
    expect(first).toMatchObject({ code: 0, report: { errors: [] } })
    expect(first?.report.willNotRun.length).toBeGreaterThan(40)
    for (const { code, report: other } of reports) {
      expect([code, other.willNotRun]).toEqual([0, first?.report.willNotRun])
    }
    expect(readdirSync(folder)).toEqual(['cruise-config.xml'])
  })

  it('says what is not valid, and where there is nothing', async () => {
    const folder = tempDir()
    const file = join(folder, 'a.xml')
    writeFileSync(file, documentWith('a').replace('<stage ', '<stag '))

    const invalid = await command(['import', '--report-only', file])
    const nothing = await command(['import', '--report-only', folder])
    const sound = join(folder, 'b.xml')
    writeFileSync(sound, documentWith('a'))

    expect(invalid.code).toBe(1)
    expect(invalid.stdout).toMatch(/a\.xml is not valid\n +\S+a\.xml:\d+:\d+: /)
    expect(nothing).toMatchObject({ code: 1 })
    expect(nothing.stderr).toContain('The folder has no config.xml and no cruise-config.xml')
    expect((await command(['import', '--report-only', sound])).stdout).toContain(
      'Every part of it can run here',
    )
  })

  it('refuses a file of agents that is none, before anything is imported', async () => {
    const [source, target] = [new Source(), new Target()]
    source.commit('Ana', documentWith('a'))

    const { code, stderr } = await target.import(source.folder, '--agents', 'nowhere.json')

    expect(code).toBe(1)
    expect(stderr).toContain('The file of agents cannot be used: it is not there')
    expect(readdirSync(target.cwd)).toEqual([])
  })
})
