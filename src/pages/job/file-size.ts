import { renderFreeSpace } from '../../core/builds/agent.ts'

/** `12 B`, `3.4 KB`. */
export function fileSize(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : renderFreeSpace(bytes)
}
