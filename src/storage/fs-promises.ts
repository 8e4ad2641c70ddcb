import type { BigIntStats, Stats } from 'node:fs'

export interface WriteOptions {
  readonly mode?: number
  readonly encoding?: BufferEncoding | null
}

export interface FsHandle {
  writeFile(data: string | Uint8Array): Promise<void>
  chmod(mode: number): Promise<void>
  chown(uid: number, gid: number): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/**
 * The part of `node:fs/promises` that writers of this product use, so that tests can simulate power
 * cuts.
 */
export interface FsPromises {
  open(path: string, flags?: string, mode?: number): Promise<FsHandle>
  readFile(path: string): Promise<Uint8Array>
  writeFile(
    path: string,
    data: string | Uint8Array,
    options?: WriteOptions | BufferEncoding | null,
  ): Promise<void>
  rename(from: string, to: string): Promise<void>
  link(existing: string, path: string): Promise<void>
  unlink(path: string): Promise<void>
  rm(path: string, options?: { readonly force?: boolean; recursive?: boolean }): Promise<void>
  mkdir(
    path: string,
    options?: { readonly recursive?: boolean; mode?: number } | number,
  ): Promise<string | undefined>
  rmdir(path: string): Promise<void>
  readdir(path: string): Promise<string[]>
  stat(path: string): Promise<Stats>
  lstat(path: string): Promise<Stats>
  lstat(path: string, options: { readonly bigint: true }): Promise<BigIntStats>
  readlink(path: string): Promise<string>
  symlink(target: string, path: string): Promise<void>
  chmod(path: string, mode: number): Promise<void>
}
