import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { SerialQueue } from '../../../src/lib/serial-queue.ts'
import { fastImport } from '../git/fast-import.ts'
import { PLAIN_GIT } from '../git/git.ts'
import { editedBy } from './soak-document.ts'
import type { SoakedServer } from './soaked-server.ts'

const DIGEST = 'x-service-config-md5'
const CURRENT = '/api/admin/config.xml'
/** How long an edit of the live file may take to become a revision, in milliseconds. */
const EDIT_TIMEOUT_MS = 20_000
/** How many bursts of how many commits come one after the other. */
const BURSTS = 3
const BURST = 10
const run = promisify(execFile)

let sequence = 0

/** Saves over HTTP, with the form and with PUT, each from what was current a moment ago. */
export function saveUntilGone(server: SoakedServer): Promise<void>[] {
  const put = () => save(server, 'put')
  return [server.untilGone(put), server.untilGone(() => save(server, 'form'))]
}

async function save(server: SoakedServer, how: 'put' | 'form'): Promise<void> {
  const before = await server.call(CURRENT, [200])
  const md5 = before.headers.get(DIGEST) ?? ''
  const document = editedBy(how, await before.text(), next(how))
  const response =
    how === 'put'
      ? await server.call(CURRENT, [200, 412], {
          method: 'PUT',
          headers: { 'if-match': `"${md5}"` },
          body: document,
        })
      : await server.call(CURRENT, [200, 409], {
          method: 'POST',
          body: new URLSearchParams({ xmlFile: document, md5 }),
        })
  if (response.status !== 200) return
  const digest = response.headers.get(DIGEST) ?? ''
  server.ledger.saved(digest, `saves by ${how}`)
  server.ledger.audited.add(digest)
}

/**
 * Edits the live file and commits with git, one after the other, each based on the content of the
 * file: an edit takes back concurrent changes of others, so decisions about agents wait for their
 * turn.
 */
export function editUntilGone(server: SoakedServer, turns: SerialQueue): Promise<void>[] {
  return [
    server.untilGone(async () => {
      const digest = await turns.run(() => editFile(server, 'disk'))
      await seen(server, digest, 'edits of the live file')
      await turns.run(() => commitNatively(server))
      for (let burst = 0; burst < BURSTS; burst += 1) await turns.run(() => importBurst(server))
      await wait(100)
    }),
  ]
}

async function editFile(server: SoakedServer, editor: 'disk' | 'native'): Promise<string> {
  const file = join(server.repository, 'config.xml')
  const document = editedBy(editor, await readFile(file, 'utf8'), next(editor))
  const digest = createHash('md5').update(document).digest('hex')
  const draft = join(server.repository, '..', 'draft.xml')
  await writeFile(draft, document)
  server.ledger.edits.add(digest)
  server.ledger.pendingEdits.add(digest)
  await rename(draft, file)
  return digest
}

/** Git may find its locks taken, or the service quicker: the edit is a revision all the same. */
async function commitNatively(server: SoakedServer): Promise<void> {
  const { ledger, repository: cwd } = server
  const digest = await editFile(server, 'native')
  const message = `By hand ${digest}`
  const commit = ['commit', '--quiet', '--all', '-m', message]
  const committed = await endsWell(() => run('git', commit, { cwd, env: PLAIN_GIT }))
  if (committed) {
    const log = ['log', '-1', '--format=%H', `--grep=^${message}$`]
    const { stdout } = await run('git', log, { cwd, env: PLAIN_GIT })
    if (stdout === '') ledger.complain(`git committed ${message}, and it is not in the history`)
    else ledger.commits.add(stdout.trim())
    ledger.count('commits by git')
  }
  await seen(server, digest, 'edits beside git')
}

/** Commits beside the live file, many at once. They are refused when the service is quicker. */
async function importBurst(server: SoakedServer): Promise<void> {
  const { repository, ledger } = server
  const show = ['show', 'HEAD:config.xml']
  const { stdout } = await run('git', show, { cwd: repository, env: PLAIN_GIT, maxBuffer: 2 ** 26 })
  const documents = Array.from({ length: BURST }, () => editedBy('native', stdout, next('native')))
  if (!(await endsWell(() => fastImport(repository, documents, { isForced: false })))) return
  const digests = documents.map((each) => createHash('md5').update(each).digest('hex'))
  await seen(server, digests.at(-1) ?? '', 'bursts of commits')
  for (const digest of digests) ledger.saved(digest, 'commits in bursts')
}

async function endsWell(command: () => Promise<unknown>): Promise<boolean> {
  try {
    await command()
    return true
  } catch (error) {
    if (error instanceof Error && 'stderr' in error) return false
    throw error
  }
}

/** Waits until an edit of the live file has become a revision. */
export async function seen(server: SoakedServer, digest: string, how: string): Promise<void> {
  const { ledger } = server
  const end = performance.now() + EDIT_TIMEOUT_MS
  while (!(await server.serves(digest))) {
    if (performance.now() > end) {
      ledger.pendingEdits.delete(digest)
      return ledger.complain(`the edit ${digest} of the live file is no revision`)
    }
    await wait(50)
  }
  ledger.pendingEdits.delete(digest)
  ledger.saved(digest, how)
}

function next(who: string): string {
  sequence += 1
  return `${who} ${sequence}`
}
