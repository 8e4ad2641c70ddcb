// @module-tag long
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AssignedSourceMaterial } from '../../../src/wire/agent/material.ts'
import type { SeenJob } from '../../support/agents/agent-protocol-server.ts'
import { useAgent } from '../../support/agents/running-agent.ts'
import { hgOrigin, runTool, svnOrigin } from '../../support/builds/source-origins.ts'
import { sh } from '../../support/builds/an-assignment.ts'

const shared = useAgent()

const LIST =
  'find . -type f -not -path "*/.[hs]*" | sort | while read -r f; do echo "$f $(cat "$f")"; done'

/** Lists the files with what is in them, and does what a job may do to them. */
function run(
  pipelineName: string,
  material: AssignedSourceMaterial,
  spoil: string,
): Promise<SeenJob> {
  return shared.agent.run(
    { pipelineName, materials: [material], tasks: [sh(LIST), sh(`exec >/dev/null; ${spoil}`)] },
    25_000,
  )
}

/** The files that a job found when it began. */
function found({ written }: SeenJob): readonly string[] {
  return written.filter((line) => line.startsWith('./'))
}

/** Commits a subrepository, and gives the revision. */
function addSubrepository(folder: string, path: string, url: string): string {
  runTool(folder, 'hg', 'clone', '-q', '--', url, path)
  writeFileSync(join(folder, '.hgsub'), `${path} = ${url}\n`)
  runTool(folder, 'hg', 'commit', '-q', '-A', '-m', 'subrepository')
  return runTool(folder, 'hg', 'log', '-r', '.', '--template', '{node}')
}

describe('a hg material with subrepositories', { tags: ['hg'], timeout: 90_000 }, () => {
  it('is updated with all of them, as if it were fresh', async () => {
    const inner = hgOrigin(shared.temp.file('inner'))
    const middle = hgOrigin(shared.temp.file('middle'))
    const outer = hgOrigin(shared.temp.file('outer'))
    addSubrepository(middle.url, 'deep', inner.url)
    const revision = addSubrepository(outer.url, '-sub one', middle.url)
    const material = { ...outer.material(1), revision }
    const spoil =
      'cd ./-sub*; echo x >a; echo x >extra; mkdir d; echo x >d/x; echo x >deep/b; echo x >deep/extra'

    const fresh = await run('hg-subs', material, spoil)
    const updated = await run('hg-subs', material, spoil)

    expect(updated.text).not.toContain('Checking out')
    expect(found(fresh)).toContain('./-sub one/deep/b b')
    expect(found(updated)).toEqual(found(fresh))
  })

  it('is checked out anew where a job has left another repository', async () => {
    const material = hgOrigin(shared.temp.file('plain')).material(1)
    const spoil = 'hg init left; echo x >left/x; echo "0123 left" >.hgsubstate'

    const fresh = await run('hg-left', material, spoil)
    const next = await run('hg-left', material, spoil)

    expect(next.text).toContain('It cannot be updated: It holds other repositories')
    expect(found(next)).toEqual(found(fresh))
  })
})

describe('a svn material with externals', { tags: ['svn'], timeout: 90_000 }, () => {
  it('is updated with all of them, as if it were fresh', async () => {
    const lib = svnOrigin(shared.temp.file('lib'))
    const app = svnOrigin(shared.temp.file('app'))
    const folder = shared.temp.file('app')
    const externals = `${lib.url}@2 dir@1\n^/b@2 file`
    runTool(folder, 'svn', 'update', '-q')
    runTool(folder, 'svn', 'propset', '-q', 'svn:externals', externals, '.')
    runTool(folder, 'svn', 'commit', '-q', '-m', 'externals')
    const material = { ...app.material(1), revision: '3' }
    const spoil = [
      'echo x >dir@1/a; echo x >dir@1/extra; echo x >dir@1/new; svn add -q dir@1/new@; echo x >file; echo x >a',
      `svn checkout -q '${lib.url}@' left; svn checkout -q '${lib.url}@' dir@1/left@`,
    ].join('; ')

    const fresh = await run('svn-externals', material, spoil)
    const updated = await run('svn-externals', material, spoil)

    expect(updated.text).not.toContain('Checking out')
    expect(found(fresh)).toEqual(['./a two', './b b', './dir@1/a two', './dir@1/b b', './file b'])
    expect(found(updated)).toEqual(found(fresh))
  })
})
