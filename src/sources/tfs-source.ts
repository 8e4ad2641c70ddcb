import type { TfsMaterial } from '../document/model/materials.ts'
import {
  type MaterialSource,
  MAX_CHANGES,
  revisionNumber,
  SourceFailed,
  type RevisionSpan,
  type SourceModification,
} from './modification.ts'
import { secretsOf, type SourcePlace, addressOf } from './source-place.ts'

/** The client accepts a password only on its command line. */
export function tfsSource(material: TfsMaterial, place: SourcePlace): MaterialSource {
  const { url } = addressOf('tfs', material.url)
  const { domain, projectPath, username } = material
  const { password } = place
  const user = domain === null || domain === '' ? username : `${domain}\\${username}`
  const server = [`-collection:${url}`, `-login:${user},${password ?? ''}`, '-noprompt']
  if (!projectPath.startsWith('$/')) throw new SourceFailed('tf: a project path begins with $/')

  function history(...options: readonly string[]) {
    const args = ['history', projectPath, '-recursive', '-format:detailed', ...options, ...server]
    const secrets = secretsOf({ username, password }, false)
    const environment = { LC_ALL: 'C.UTF-8' }
    return place.tools.run({ command: 'tf', args, cwd: place.folder, environment, secrets })
  }

  async function newest(): Promise<string> {
    const [first] = parseHistory(await history('-stopafter:1'))
    if (first) return first.revision
    throw new SourceFailed('tf: there is no changeset')
  }

  async function changes({ after, upTo }: RevisionSpan) {
    const last = Number(upTo)
    const first = after === null ? last : Number(after) + 1
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || first > last) return null
    const span = [`-version:C${first}~C${last}`, `-stopafter:${MAX_CHANGES + 1}`]
    const found = parseHistory(await history(...span))
    return found.length > MAX_CHANGES ? null : found
  }

  async function find(revision: string) {
    const upTo = revisionNumber(revision)
    const found = upTo === null ? null : await changes({ after: null, upTo })
    return found?.find((change) => change.revision === upTo)?.revision ?? null
  }

  return { newest, changes, find }
}

const ITEM = /^\s+[a-z][a-z, ]* (\$\/.*)$/

/** Parses the output of `tf history -format:detailed`. */
function parseHistory(text: string): SourceModification[] {
  return text
    .split(/^(?=Changeset\s*:)/m)
    .filter((part) => /^Changeset\s*:\s*\d/.test(part))
    .map(modificationOf)
}

function modificationOf(text: string): SourceModification {
  const lines = text.split(/\r?\n/)
  return {
    revision: valueOf(lines, 'Changeset'),
    username: valueOf(lines, 'User'),
    time: Date.parse(valueOf(lines, 'Date')) || 0,
    comment: sectionOf(lines, 'Comment').join('\n').trim(),
    files: sectionOf(lines, 'Items').flatMap((line) => ITEM.exec(line)?.[1] ?? []),
  }
}

function valueOf(lines: readonly string[], name: string): string {
  const line = lines.find((each) => each.startsWith(`${name}:`) || each.startsWith(`${name} `))
  return line?.slice(line.indexOf(':') + 1).trim() ?? ''
}

/** The indented lines below a heading. */
function sectionOf(lines: readonly string[], name: string): string[] {
  const start = lines.findIndex((line) => line.trimEnd() === `${name}:`)
  if (start < 0) return []
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => /^\S/.test(line))
  return end < 0 ? rest : rest.slice(0, end)
}
