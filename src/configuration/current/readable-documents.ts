import { LRUCache } from 'lru-cache'
import { findSecrets } from '../../document/secrets/find-secrets.ts'
import { maskSecrets } from '../../document/text/shown-text.ts'
import { findPlainSecrets } from '../../document/secrets/plain-secrets.ts'
import { addressSecrets, hasUserInfo, SEALED_START } from '../../document/secrets/user-info.ts'
import { readXml } from '../../document/xml/xml-reader.ts'
import type { Digest } from '../../core/digest.ts'
import { type CooperativeWork, runCooperatively } from '../../lib/cooperative.ts'
import { decodeUtf8 } from '../../lib/decode-utf8.ts'
import type { Problem } from '../../core/problem.ts'
import type { StoredDocument } from '../../history/history.ts'
import type { DocumentCache } from './document-cache.ts'
import type { SealingJob } from './document-job.ts'
import type { DocumentThread } from './document-thread.ts'

export interface ReadableDocumentsDeps {
  readonly thread: Pick<DocumentThread, 'seal'>
  readonly cache: Pick<DocumentCache, 'find'>
}

/** The most documents whose plain secrets are cached. */
const CACHED = 20_000
const NONE: readonly Problem[] = []

const PLAIN_PASSWORD = /\s(?:password|managerPassword)\s*=\s*(?:"[^"]|'[^'])/
const SECURE = /\bsecure\s*=\s*["'](?!(?:false|0)["'])/g
const SEALED_VARIABLE =
  /\bsecure\s*=\s*["'](?:true|1)["'](?:\s+name="[^"<>]{0,300}")?\s{0,9}>\s*<encryptedValue>[^<]*<\/encryptedValue>\s*<\/variable>/g

/**
 * The form of documents that readers get. A foreign commit may have secrets in plain text; git
 * keeps them forever, but readers get them sealed. Sealing is deterministic for a document.
 */
export class ReadableDocuments {
  readonly #deps: ReadableDocumentsDeps
  /** With `max`, the cache would take the room of all of them at the start. */
  readonly #cache = new LRUCache<Digest, readonly Problem[]>({
    maxSize: CACHED,
    sizeCalculation: () => 1,
  })

  constructor(deps: ReadableDocumentsDeps) {
    this.#deps = deps
  }

  /** The plain secrets of a document if they are cached, else null. */
  knownSecrets(digest: Digest): readonly Problem[] | null {
    if (this.#deps.cache.find(digest)?.hasPlainSecrets === false) return NONE
    return this.#cache.get(digest) ?? null
  }

  /** The plain secrets of a document, each with its place. */
  readonly secretsIn = async ({
    digest,
    document,
  }: StoredDocument): Promise<readonly Problem[]> => {
    const cached = this.knownSecrets(digest)
    if (cached) return cached
    const mayHave = await runCooperatively(mayHaveSecrets(document))
    const found = mayHave ? await findIn(document) : NONE
    this.#cache.set(digest, found)
    return found
  }

  /** The document as it is when it has no plain secrets, or a copy of it where they are sealed. */
  readonly seal = (stored: StoredDocument): Promise<Uint8Array<ArrayBuffer>> =>
    this.#inForm(stored, 'configuration')

  /** The document as it is written in git, with a stand-in for each plain secret. */
  readonly markPlain = (stored: StoredDocument): Promise<Uint8Array<ArrayBuffer>> =>
    this.#inForm(stored, 'as-written')

  async #inForm(
    stored: StoredDocument,
    form: SealingJob['form'],
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { document } = stored
    if ((await this.secretsIn(stored)).length === 0) return document
    const sealing = await this.#deps.thread.seal(document, { isRepeatable: true, form })
    if (sealing.ok) return sealing.document
    return Buffer.from(maskSecrets(decodeUtf8(document)))
  }
}

async function findIn(document: Uint8Array): Promise<readonly Problem[]> {
  const reading = await runCooperatively(readXml(document))
  if (reading.ok) return findPlainSecrets(reading)
  const text = decodeUtf8(document)
  const isOpen = findSecrets(text).some(({ start }) => !isSealed(text, start))
  return isOpen ? [{ message: 'The document cannot be read, and seems to have secrets' }] : NONE
}

function isSealed(text: string, start: number): boolean {
  if (text.startsWith(SEALED_START, start)) return true
  return /encrypted\w*\s*(?:=\s*["']|>\s*|><!\[CDATA\[)$/i.test(text.slice(start - 60, start))
}

/** The signs of plain secrets: words in the bytes, and then a pattern in the text. */
const SIGNS: readonly {
  readonly isMentionedIn: (bytes: Buffer) => boolean
  readonly isIn: (text: string) => boolean
}[] = [
  {
    isMentionedIn: (bytes) => bytes.includes('assword'),
    isIn: (text) => PLAIN_PASSWORD.test(text),
  },
  { isMentionedIn: (bytes) => bytes.includes('secure'), isIn: hasPlainVariable },
  { isMentionedIn: hasUserInfo, isIn: hasPlainAddress },
]

/**
 * A quick search in steps, because most documents have nothing that looks like a plain secret. Plain words are looked
 * for in the bytes, several times quicker than a pattern in their text.
 */
function* mayHaveSecrets(document: Uint8Array): CooperativeWork<boolean> {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.length)
  if (bytes.includes(0)) return true
  const mentioned: (typeof SIGNS)[number][] = []
  for (const sign of SIGNS) {
    yield
    if (sign.isMentionedIn(bytes)) mentioned.push(sign)
  }
  if (mentioned.length === 0) return false
  const text = decodeUtf8(document)
  for (const { isIn } of mentioned) {
    yield
    if (isIn(text)) return true
  }
  return false
}

function hasPlainVariable(text: string): boolean {
  return countOf(text, SECURE) > countOf(text, SEALED_VARIABLE)
}

function hasPlainAddress(text: string): boolean {
  for (const { start } of addressSecrets(text)) {
    if (!text.startsWith(SEALED_START, start)) return true
  }
  return false
}

function countOf(text: string, pattern: RegExp): number {
  let count = 0
  for (const _ of text.matchAll(pattern)) count += 1
  return count
}
