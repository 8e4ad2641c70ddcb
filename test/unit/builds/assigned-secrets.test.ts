import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jobEnvironment } from '../../../src/agent/job/job-environment.ts'
import { SecretMask } from '../../../src/agent/console/secret-mask.ts'
import { quotedWords } from '../../../src/core/service/command-words.ts'
import { assigned, box } from '../../support/builds/assignment-scene.ts'
import { shared } from '../../support/programs/at-end.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const VALUE = `it's "s3cret" & more`
const SECRET = '{{SECRET:[vault][token]}}'
const IN_URL = encodeURIComponent(VALUE)

const kept = shared(async () => {
  const secretsDir = join(tempDir(), 'secrets')
  mkdirSync(join(secretsDir, 'vault'), { recursive: true })
  writeFileSync(join(secretsDir, 'vault', 'token'), `${VALUE}\n`)
  writeFileSync(join(secretsDir, 'vault', 'url'), 'https://n:s3cret@git.example.org/r\n')
  writeFileSync(join(secretsDir, 'vault', 'long'), 'x'.repeat(5_000))
  return { secretsDir }
})

type Given = Parameters<typeof assigned>[0]
type Facts = NonNullable<Parameters<typeof assigned>[1]>

function withSecrets(given: Given, facts: Facts = {}) {
  return assigned({ schemaVersion: 139, ...given }, { ...kept(), ...facts })
}

/** Returns a text as the console of the job shows it. */
async function shown(given: Given, text: string): Promise<string> {
  const { secrets } = jobEnvironment(await withSecrets(given), {
    server: 'http://s',
    inherited: {},
  })
  return new SecretMask(secrets).hide(text)
}

/** Why a job is not assigned; null where it is. */
function refusal(given: Given, facts: Facts = {}): Promise<unknown> {
  return withSecrets(given, facts).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : error),
  )
}

const EARLY = 'stage="early" job="make"'
const SCRIPT = `<task><pluginConfiguration id="script-executor" version="1" /><configuration><property><key>shtype</key><value>bash</value></property><property><key>script</key><value>login ${SECRET}\nmake</value></property></configuration></task>`

describe('secrets that are kept elsewhere', () => {
  it.each([
    [`<exec command="login"><arg>-p=${SECRET}</arg></exec>`, { args: [`-p=${VALUE}`] }],
    [`<exec command="login" args="-p ${SECRET} 'a b'" />`, { args: ['-p', VALUE, 'a b'] }],
    [`<exec command="c" workingdir="d/${SECRET}" />`, { workingDir: `d/${VALUE}` }],
    [`<ant buildfile="${SECRET}" />`, { type: 'ant', buildFile: VALUE }],
    [`<rake workingdir="${SECRET}" />`, { type: 'rake', workingDir: VALUE }],
    [`<nant nantpath="${SECRET}" />`, { type: 'nant', nantPath: VALUE }],
    [
      `<fetchartifact ${EARLY} srcfile="${SECRET}" dest="${SECRET}" />`,
      { src: VALUE, dest: VALUE },
    ],
    [SCRIPT, { type: 'exec', command: 'sh', args: ['-c', `login ${VALUE}\nmake`] }],
  ])('are filled into %s, when it runs and when it cancels', async (task, expected) => {
    const cancelling = `<exec command="c"><oncancel>${task}</oncancel></exec>`
    const { tasks, maskedTexts } = await withSecrets({ tasks: `${task}${cancelling}` })

    expect(tasks[0]?.run).toMatchObject(expected)
    expect(tasks[1]?.onCancel).toMatchObject(expected)
    expect(maskedTexts).toEqual([VALUE])
    expect(await shown({ tasks: cancelling }, `a ${VALUE}`)).toBe('a ********')
  })

  it.each(['ant', 'nant', 'rake'])('are one word of the target of %s', async (tool) => {
    const { tasks } = await withSecrets({ tasks: `<${tool} target="all -Dp=${SECRET}" />` })
    const [task] = tasks
    const target = task && 'target' in task.run ? (task.run.target ?? '') : ''

    expect(quotedWords(target)).toEqual({ ok: true, words: ['all', `-Dp=${VALUE}`] })
  })

  it.each([
    [
      `<git url="https://h/r" username="n" password="${SECRET}" dest="d" />`,
      `https://n:${IN_URL}@h/r`,
    ],
    [`<git url="https://n:${SECRET}@h/r" dest="d" />`, `https://n:${IN_URL}@h/r`],
    [
      `<git url="https://h/r" encryptedPassword="${box.seal(SECRET)}" dest="d" />`,
      `https://:${IN_URL}@h/r`,
    ],
    [`<git url="{{SECRET:[vault][url]}}" dest="d" />`, 'https://n:s3cret@git.example.org/r'],
    [`<hg url="https://h/r" username="${SECRET}" dest="d" />`, `https://${IN_URL}@h/r`],
  ])('are filled into the address of %s', async (materials, url) => {
    const { materials: sent } = await withSecrets({ materials })

    expect(sent[1]).toMatchObject({ url })
    expect(await shown({ materials }, `cloning ${url}`)).not.toContain('s3cret')
    expect(await shown({ materials }, `cloning ${url}`)).not.toContain(IN_URL)
  })

  it('hide an address that is one as a whole, however it is written', async () => {
    const materials = `<git url="{{SECRET:[vault][url]}}" dest="d" />`

    expect(await shown({ materials }, 'of https://git.example.org/r')).toBe('of ********')
  })

  it.each([
    `<svn url="svn://h/r" username="${SECRET}" password="${SECRET}" dest="d" />`,
    `<p4 port="h:1" username="${SECRET}" password="${SECRET}" dest="d"><view>v</view></p4>`,
    `<tfs url="http://h" projectPath="p" username="${SECRET}" password="${SECRET}" dest="d" />`,
  ])('are filled into the credentials of %s', async (materials) => {
    const { materials: sent } = await withSecrets({ materials })

    expect(sent[1]).toMatchObject({ username: VALUE, password: VALUE })
    expect(await shown({ materials }, VALUE)).toBe('********')
  })

  it('make a variable secure', async () => {
    const jobVariables = `<variable name="KEY"><value>a ${SECRET}</value></variable>`
    const { environmentVariables } = await withSecrets({ jobVariables })

    expect(environmentVariables).toContainEqual({ name: 'KEY', value: `a ${VALUE}`, secure: true })
  })

  it('are refused where they are not there, too long, or where nobody may have them', async () => {
    const rules = '<allow action="refer" type="pipeline_group">other*</allow>'
    const later = `<secretConfigs><secretConfig id="vault" pluginId="p"><rules>${rules}</rules></secretConfig></secretConfigs>`
    const tasks = `<exec command="c"><arg>${SECRET}</arg></exec>`
    const variables = [{ name: 'WHO', value: SECRET, secure: false }]

    expect(await refusal({ tasks: tasks.replace('token', 'none') })).toBe(
      'An argument of the command c is the secret none of vault, and there is no file vault/none below --secrets-dir',
    )
    expect(await refusal({ tasks, later })).toBe(
      'An argument of the command c is the secret token of vault, and the rules of the secret config vault do not let the group g refer to it',
    )
    expect(await refusal({ tasks, later: later.replace('other*', 'G') })).toBe(null)
    expect(await refusal({}, { run: { variables } })).toBe(
      'The variable WHO of the run is the secret token of vault, and only the configuration may refer to secrets',
    )
    expect(
      await refusal({ stage: '', job: `<artifacts><artifact src="${SECRET}" /></artifacts>` }),
    ).toBe('A text refers to the secret token of vault, and no secret is filled in there')
    expect(
      await refusal({
        materials: `<svn url="svn://h/r" password="{{SECRET:[vault][long]}}" dest="d" />`,
      }),
    ).toContain('The password of the material d cannot be sent to an agent: ')
  })
})
