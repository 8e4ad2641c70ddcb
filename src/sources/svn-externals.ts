import type { SvnMaterial } from '../document/model/materials.ts'
import { withAllowedAddress } from './local-materials.ts'
import { addressOf, type SourcePlace } from './source-place.ts'
import type { SvnClient } from './svn-client.ts'

/** Directories checked out beside a material from elsewhere, which may change there. */
export interface Externals {
  /** Externals of the material's own repository, which share its revision numbers. */
  readonly own: readonly SvnClient[]
  /** Externals of other repositories, by their addresses. */
  readonly others: readonly SvnClient[]
}

/** Externals may have externals, also in a circle. */
const MAX_EXTERNALS = 100

const WORD = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|((?:[^\s\\]|\\.)+)/g
const PINNED_PEG = /@(?!HEAD$)[^@/]+$/i
const ADDRESS = /^(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/|\^\/|\/|\.\.\/)/

/**
 * Finds the externals that follow the newest revision of their target. Pinned ones bring nothing
 * new before the material itself changes.
 */
export async function findExternals(
  client: SvnClient,
  { material, place }: { readonly material: SvnMaterial; readonly place: SourcePlace },
): Promise<Externals> {
  const { root } = (await client.info()).repository
  const found = new Map<string, { readonly client: SvnClient; readonly root: string }>()
  const waiting = [{ client, root }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const { folder, text } of await next.client.externals()) {
      for (const url of parseExternals(text, { folder, root: next.root })) {
        if (found.has(url) || found.size >= MAX_EXTERNALS) continue
        const { url: allowed } = isBelow(root, url)
          ? { url }
          : await allowedExternal({ ...material, url }, place)
        const external = client.at(allowed)
        const at = { client: external, root: (await external.info()).repository.root }
        found.set(url, at)
        waiting.push(at)
      }
    }
  }
  const clients = [...found].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return {
    own: clients.flatMap(([, at]) => (at.root === root ? at.client : [])),
    others: clients.flatMap(([, at]) => (at.root === root ? [] : at.client)),
  }
}

/** The repository names it, so that it is held to the rules of every other address. */
async function allowedExternal(
  external: SvnMaterial,
  place: SourcePlace,
): Promise<{ url: string }> {
  addressOf('svn', external.url)
  const allowed = await withAllowedAddress(external, place.local)
  return { url: 'url' in allowed ? allowed.url : external.url }
}

/**
 * The addresses in a text of `svn:externals` that are bound to no revision: `URL FOLDER` on each
 * line, or `FOLDER URL` in the older form.
 */
export function parseExternals(
  text: string,
  at: { readonly folder: string; readonly root: string },
): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    if (line.trim() === '' || line.trim().startsWith('#')) return []
    const words = [...line.matchAll(WORD)].map(([, double, single, plain]) =>
      (double ?? single ?? plain ?? '').replace(/\\(.)/g, '$1'),
    )
    const rest = words.filter((word, n) => !isRevision(word) && words[n - 1] !== '-r')
    const isBound = words.some((word, n) => {
      const revision = word === '-r' ? words[n + 1] : isRevision(word) ? word.slice(2) : 'HEAD'
      return revision?.toUpperCase() !== 'HEAD'
    })
    const [first = '', second = ''] = rest
    const named = ADDRESS.test(first) ? first : second
    if (isBound || !ADDRESS.test(named) || (named === first && PINNED_PEG.test(named))) return []
    const address = resolveExternal(named.replace(/@(?:HEAD)?$/i, ''), at)
    return address === null ? [] : [address]
  })
}

function isRevision(word: string): boolean {
  return word.startsWith('-r')
}

/** Resolves an address that may be relative to the folder, the repository, or the server. */
function resolveExternal(
  named: string,
  { folder, root }: { readonly folder: string; readonly root: string },
): string | null {
  const path = named.replaceAll('#', '%23').replaceAll('?', '%3F')
  const [relative, base] = path.startsWith('^/')
    ? [path.slice(2), `${root}/`]
    : [path, `${folder.replace(/\/$/, '')}/`]
  return URL.canParse(relative, base) ? new URL(relative, base).href.replace(/\/$/, '') : null
}

function isBelow(root: string, url: string): boolean {
  return url === root || url.startsWith(`${root}/`)
}
