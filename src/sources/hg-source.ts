import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { HgMaterial } from '../document/model/materials.ts'
import { reasonOf } from '../core/errors.ts'
import { hgSettings, type HgSettings } from '../core/hg-settings.ts'
import type { SourceAddress } from '../core/source-address.ts'
import {
  type MaterialSource,
  MAX_CHANGES,
  SourceFailed,
  type RevisionSpan,
} from './modification.ts'
import { secretsOf, type SourcePlace, addressOf } from './source-place.ts'

const NODE = /^([0-9a-f]{40})\+?$/m
const REVISION = /^[0-9a-f]{40}$/
const ABBREVIATED = /^[0-9a-f]{4,40}$/
const NO_NODE = /^0+$/
const SECOND_MS = 1_000

const Log = z.array(
  z.object({
    node: z.string(),
    user: z.string(),
    date: z.tuple([z.number(), z.number()]),
    desc: z.string(),
    files: z.array(z.string()),
  }),
)

/**
 * Keeps an own repository as the working folder of every call; it holds the changes if they are
 * listed.
 */
export function hgSource(material: HgMaterial, place: SourcePlace): MaterialSource {
  const { tools, folder } = place
  const address = addressOf('hg', material.url)
  const username = material.username ?? address.username
  const password = place.password ?? address.password
  const branch = material.branch === null || material.branch === '' ? 'default' : material.branch
  const settings = settingsOf({ url: address.url, username, password })
  const call = {
    name: 'hg',
    cwd: folder,
    environment: {
      HGPLAIN: '1',
      LC_ALL: 'C.UTF-8',
      HGENCODING: 'UTF-8',
      // Settings name extensions and hooks, which are code: only those given here are read.
      HGRCSKIPREPO: '1',
      HGRCPATH: '',
      ...settings?.environment,
    },
    secrets: secretsOf({ username, password }, address.username !== null),
  }
  const command = (args: readonly string[]) =>
    settings?.command(['-y', ...args]) ?? { command: 'hg', args: ['-y', ...args] }
  const hg = (...args: readonly string[]) => tools.run({ ...call, ...command(args) })

  async function prepare(): Promise<void> {
    if (!existsSync(join(folder, '.hg'))) await hg('init', '--', '.')
    // Earlier versions stored the credentials in plain text there.
    await rm(join(folder, '.hg', 'hgrc'), { force: true })
  }

  async function newest(): Promise<string> {
    await prepare()
    const text = await hg('identify', '--debug', '--id', `--rev=${branch}`, '--', address.url)
    const [, node] = NODE.exec(text) ?? []
    if (node !== undefined && !NO_NODE.test(node)) return node
    throw new SourceFailed(`hg: there is no revision of ${branch}`)
  }

  async function has(revision: string): Promise<boolean> {
    const found = await hg('log', `--rev=present('${revision}')`, '--template={node}')
    return found.includes(revision)
  }

  async function update(): Promise<void> {
    // Left over from a pull that was killed.
    if (existsSync(join(folder, '.hg', 'store', 'journal'))) await hg('recover')
    const pull = command(['pull', '--quiet', '--', address.url])
    await tools.run({ ...call, ...pull, isLong: true })
  }

  async function changes({ after, upTo }: RevisionSpan) {
    if ((after !== null && !REVISION.test(after)) || !REVISION.test(upTo)) return null
    await prepare()
    if (!(await has(upTo))) await update()
    if ((after !== null && !(await has(after))) || !(await has(upTo))) return null
    const revisions = after === null ? `'${upTo}'` : `reverse(only('${upTo}', '${after}'))`
    const span = [`--rev=${revisions}`, `--limit=${MAX_CHANGES + 1}`]
    const log = Log.safeParse(JSON.parse(await hg('log', '--verbose', '--template=json', ...span)))
    if (!log.success) throw new SourceFailed('hg: its log cannot be read')
    return log.data.length > MAX_CHANGES ? null : log.data.map(modificationOf)
  }

  async function find(revision: string) {
    const short = revision.toLowerCase()
    if (!ABBREVIATED.test(short)) return null
    await prepare()
    await update()
    const name = JSON.stringify(branch)
    const found = await hg('log', `--rev=id('${short}') and ::${name}`, '--template={node}')
    return REVISION.test(found) ? found : null
  }

  return { newest, changes, find }
}

function modificationOf({ node, user, date, desc, files }: z.infer<typeof Log>[number]) {
  return { revision: node, username: user, time: date[0] * SECOND_MS, comment: desc, files }
}

function settingsOf(address: SourceAddress): HgSettings | null {
  try {
    return hgSettings(address)
  } catch (error) {
    throw new SourceFailed(`hg: ${reasonOf(error)}`, { cause: error })
  }
}
