import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { checkedLines, renderCheckedLine } from '../lib/checked-lines.ts'
import { orNullWhenAbsent } from './fs-error.ts'
import { PartReader } from './part-reader.ts'

const LINE_FEED = 10

/** The header line of a record: the length of its bytes, and their CRC-32. */
export interface RecordHead {
  readonly length: number
  readonly checksum: number
}

/** How the records of a file are written. */
export interface RecordFormat<Head extends RecordHead> {
  /** The first line of the file. Raise the version when the format of records changes. */
  readonly name: string
  /** One line of text. */
  readonly renderHead: (head: Head) => string
  /** Null for a line that is none. */
  readonly parseHead: (line: string) => Head | null
}

export interface FileRecord<Head extends RecordHead> {
  readonly head: Head
  readonly bytes: Buffer
}

/** The bytes of the file that are a record, from `start` to before `end`. */
export interface FiledPlace {
  readonly start: number
  readonly end: number
}

interface LoadedRecord<Head extends RecordHead> {
  readonly record: FileRecord<Head>
  readonly place: FiledPlace
}

/**
 * A file of derived data: records of a line and bytes, one after the other, each with its checksum.
 * Nothing waits for them to be durable, and lost ones are computed again.
 */
export class RecordFile<Head extends RecordHead> {
  readonly #path: string
  readonly #format: RecordFormat<Head>
  /** The end of the last good record; 0 while the file has no good first line. */
  #end = 0

  constructor(path: string, format: RecordFormat<Head>) {
    this.#path = path
    this.#format = format
  }

  /**
   * Reads the file before it is written to, and cuts off a damaged end. Yields the records in
   * order, one part of the file after the other; their bytes are valid until the next one.
   */
  async *load(): AsyncGenerator<LoadedRecord<Head>, void> {
    this.#end = 0
    const file = await this.open()
    if (file === null) return
    await using reader = new PartReader(file)
    const format = await reader.line()
    if (format?.toString() !== renderCheckedLine(this.#format.name)) return
    this.#end = reader.offset
    for (let line = await reader.line(); line !== null; line = await reader.line()) {
      const head = headIn(line, this.#format)
      const bytes = head && (await reader.take(head.length))
      if (!head || !bytes || crc32(bytes) !== head.checksum) return
      const place = { start: this.#end, end: reader.offset }
      this.#end = place.end
      yield { record: { head, bytes }, place }
    }
  }

  /** Adds records behind the last good one. Returns where they are. */
  async append(records: readonly FileRecord<Head>[]): Promise<readonly FiledPlace[]> {
    const format = this.#end === 0 ? [Buffer.from(renderCheckedLine(this.#format.name))] : []
    const rendered = records.map(({ head, bytes }) => {
      const line = renderCheckedLine(this.#format.renderHead(head))
      return Buffer.concat([Buffer.from(line), bytes])
    })
    const whole = Buffer.concat([...format, ...rendered])
    await mkdir(dirname(this.#path), { recursive: true })
    const file = await open(this.#path, this.#end === 0 ? 'w' : 'r+')
    try {
      await file.truncate(this.#end)
      await file.write(whole, 0, whole.length, this.#end)
    } finally {
      await file.close()
    }
    this.#end += format[0]?.length ?? 0
    return rendered.map(({ length }) => ({ start: this.#end, end: (this.#end += length) }))
  }

  /** Opens the file to read parts of it; null when it is absent. */
  open(): Promise<FileHandle | null> {
    return orNullWhenAbsent(open(this.#path, 'r'))
  }
}

/** The records in such bytes of a file, up to the first damaged one. */
export function* recordsIn<Head extends RecordHead>(
  bytes: Buffer,
  format: RecordFormat<Head>,
): Generator<FileRecord<Head>, void> {
  let at = 0
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, at)) {
    const head = headIn(bytes.subarray(at, end + 1), format)
    if (head === null) return
    at = end + 1 + head.length
    const taken = bytes.subarray(end + 1, at)
    if (crc32(taken) !== head.checksum) return
    yield { head, bytes: taken }
  }
}

function headIn<Head extends RecordHead>(line: Buffer, format: RecordFormat<Head>): Head | null {
  const [checked] = checkedLines(line)
  return checked === undefined ? null : format.parseHead(checked.body.toString())
}
