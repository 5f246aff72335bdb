import { StatusBarAlignment, window, workspace } from "vscode";

/** RootStatus is what the server tells of one root. */
export interface RootStatus {
	root: string;
	state: "indexing" | "writing" | "idle";
	done: number;
	total: number;
	leftOut?: number;
	commits?: string;
}

/** Status is the one item of the status bar, for all roots together. */
export class Status {
	readonly item = window.createStatusBarItem("memhtml.status", StatusBarAlignment.Left);
	private readonly roots = new Map<string, RootStatus>();

	constructor() {
		this.item.name = "memhtml";
		this.item.command = "memhtml.showLog";
		this.item.show();
	}

	tell(told: RootStatus): void {
		this.roots.set(told.root, told);
		const all = [...this.roots.values()];
		const busy = all.find(({ state }) => state !== "idle");
		const leftOut = told.leftOut === undefined ? "" : ` ${String(told.leftOut)} more files have findings.`;
		const hurt = all.find(({ commits }) => commits !== undefined)?.commits;
		if (busy?.state === "indexing") {
			this.show("sync~spin", `Memories are being read: ${String(busy.done)} of ${String(busy.total)}.`);
		} else if (busy !== undefined) {
			this.show("sync~spin", "A commit is being made.");
		} else if (!workspace.isTrusted) {
			this.show("shield", `Findings only: this folder is not trusted.${leftOut}`);
		} else {
			this.show(hurt === undefined ? "check" : "warning", (hurt ?? "Memories are checked as you type.") + leftOut);
		}
	}

	/** The server has come or gone: nothing is known of any root. */
	reset(icon: "error" | "sync~spin", tooltip: string): void {
		this.roots.clear();
		this.show(icon, tooltip);
	}

	private show(icon: string, tooltip: string): void {
		this.item.text = `$(${icon}) memhtml`;
		this.item.tooltip = tooltip;
	}
}
