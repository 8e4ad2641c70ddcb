import { readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'

const CRLF = documentOf('of\r\n  another\r\n  system')

describe('the folder of the repository', () => {
  it('keeps the bytes of the live file whatever a foreign git makes of line ends', async () => {
    await using folder = new HistoryFolder()
    const history = await folder.open()
    folder.write('* text=auto eol=crlf ident\n', '.gitattributes')
    const { revision } = await save(history, CRLF.replace('system', 'system $Id$'))

    const status = folder.git('-c', 'core.autocrlf=true', 'status', '--porcelain', 'config.xml')
    folder.remove('config.xml')
    folder.git('-c', 'core.autocrlf=true', 'checkout', '--', 'config.xml')

    expect(status).toBe('')
    expect(folder.live()).toBe(Buffer.from(await history.readDocument(revision)).toString())
  })

  it('takes a commit of a foreign git as its bytes were on disk', async () => {
    await using folder = new HistoryFolder()
    await folder.open()
    await folder.close()
    folder.write(CRLF)
    folder.git('-c', 'core.autocrlf=input', 'commit', '--quiet', '-am', 'By hand')

    const history = await folder.open()

    expect(Buffer.from(await history.readDocument(history.current())).toString()).toBe(CRLF)
  })

  it('knows its file by any name', async () => {
    await using folder = new HistoryFolder({ fileName: 'a folder/con[f]*g "1".xml' })
    await folder.open()
    const attributes = ['-c', 'core.quotePath=false', 'check-attr', 'text', '--']

    expect(folder.git(...attributes, 'a folder/con[f]*g "1".xml')).toMatch(/text: unset/)
    expect(folder.git(...attributes, 'a folder/conf-g "1".xml')).toMatch(/text: unspecified/)
  })

  it('is rid of what a killed writer left, which git never sees', async () => {
    await using folder = new HistoryFolder({ pollInterval: 60_000 })
    const history = await folder.open()
    await save(history, documentOf('one'))
    await folder.close()
    folder.write('half', '.draft-0123456789abcdef')
    const status = folder.git('status', '--porcelain')
    writeFileSync(folder.file(`.git/objects/${oneOf(folder)}/tmp_obj_0123456789ab`), 'h')

    const again = await folder.open()
    await again.maintain()

    expect(status).toBe('')
    expect(folder.names()).not.toContain('.draft-0123456789abcdef')
    expect(folder.git('count-objects', '-v')).toContain('garbage: 0')
  })
})

/** A folder of loose objects. */
function oneOf(folder: HistoryFolder): string {
  const names = readdirSync(folder.file('.git/objects'))
  return names.find((name) => name.length === 2) ?? ''
}
