import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { type CodeAction, commands, type ExtensionContext } from "vscode";
import { ProgressLocation, Range, TabInputText, Uri, window, workspace } from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

/** Argument is that of a server command; the server made it, or nobody did. */
export interface Argument {
	uri?: string;
	target?: string;
	ask?: "claim" | "reason";
	was?: string;
	save?: string[];
	expect?: Record<string, { version?: number; hash?: string }>;
	[field: string]: unknown;
}

type Commit = Argument & { commit: string };

interface Answer {
	code?: string;
	outcome: { message?: string; warnings?: string[]; moved?: Record<string, string>; undo?: Commit };
	data?: { files?: { from: string; path: string; before: string; after: string }[] };
}

type Send = (command: string, args: unknown[]) => unknown;

/** The scheme of the files of a commit. */
export const scheme = "memhtml-commit";

/** Makes the client of the one server for all folders. */
export function newClient(context: ExtensionContext): LanguageClient {
	return new LanguageClient("memhtml", "memhtml", { command: findServer(context), args: ["serve"] }, {
		documentSelector: [{ scheme: "file", language: "html" }],
		connectionOptions: { maxRestartCount: 4 },
		initializationOptions: () => {
			const can = { memhtmlPrompts: true, memhtmlSaves: true, memhtmlOutcomes: true, memhtmlCompares: true };
			return { ...can, memhtmlStatus: true, memhtmlUntrusted: !workspace.isTrusted };
		},
		middleware: {
			executeCommand: (name, args: unknown[], next: Send) => execute(name, args[0] as Argument | undefined, next),
			workspace: { configuration: ({ items }) => items.map((item) => chosen(context, item.scopeUri)) },
		},
	});
}

/** The setting, which no folder can make, then the PATH, then what came with the extension. */
function findServer(context: ExtensionContext): string {
	const set = workspace.getConfiguration("memhtml").get<string>("server.path", "");
	const folders = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute);
	const name = process.platform === "win32" ? "memhtml-ls.exe" : "memhtml-ls";
	const paths = [...folders, context.asAbsolutePath("bin")].map((folder) => join(folder, name));
	return set === "" ? (paths.find(existsSync) ?? name) : set;
}

/** What somebody has set: a default sent along would win over the settings of the repository. */
function chosen(context: ExtensionContext, scope: string | undefined): Record<string, unknown> {
	const { capabilities } = context.extension.packageJSON as typeof import("../package.json");
	const settings = workspace.getConfiguration(undefined, scope === undefined ? null : Uri.parse(scope));
	const set = capabilities.untrustedWorkspaces.restrictedConfigurations.filter((name) => {
		const layers = settings.inspect(name);
		return [layers?.globalValue, layers?.workspaceValue, layers?.workspaceFolderValue].some((v) => v !== undefined);
	});
	return Object.fromEntries(set.map((name) => [name.replace(/^memhtml\./, ""), settings.get(name)]));
}

/** Executes a command: what is missing is asked for, what is unsaved saved, and the outcome shown. */
async function execute(command: string, given: Argument | undefined, send: Send): Promise<unknown> {
	const argument = given ?? (await choose(command));
	if (argument === undefined || !(await ask(argument)) || !(await save(argument))) {
		return undefined;
	}
	const where = { location: ProgressLocation.Window, title: "memhtml" };
	const answer = await window.withProgress(where, async () => (await send(command, [argument])) as Answer);
	void show(answer);
	return answer;
}

/** The argument of a command of the palette: that of a code action of the open memory. */
async function choose(command: string): Promise<Argument | undefined> {
	const document = window.activeTextEditor?.document;
	if (document === undefined) {
		void window.showWarningMessage("Open a memory first.");
		return undefined;
	}
	const uri = document.uri.toString();
	if (["memhtml.undo", "memhtml.status"].includes(command)) {
		return { uri };
	}
	const all = new Range(0, 0, document.lineCount, 0);
	const actions = await commands.executeCommand<CodeAction[]>("vscode.executeCodeActionProvider", document.uri, all);
	const fitting = actions.filter((action) => action.command?.command === command && action.disabled === undefined);
	if (fitting.length === 0) {
		void window.showWarningMessage("That is not to be done with this memory.");
	}
	const items = fitting.map(({ title, command }) => ({ label: title, argument: command?.arguments?.[0] as Argument }));
	return items.length > 1 ? (await window.showQuickPick(items))?.argument : items[0]?.argument;
}

/** Asks for the one member that the server says is missing; false when nobody answers. */
async function ask(argument: Argument): Promise<boolean> {
	if (argument.ask === undefined) {
		return true;
	}
	const was = argument.was ?? "";
	const isClaim = argument.ask === "claim";
	const said = await window.showInputBox({
		title: isClaim ? "What holds instead?" : "Why? This may stay empty.",
		prompt: isClaim ? `Until now: ${was}` : "The reason is kept in the commit.",
		value: isClaim ? was : "",
		ignoreFocusOut: true,
		validateInput: (text) => (isClaim && ["", was].includes(text.trim()) ? "Write what holds instead." : undefined),
	});
	argument[argument.ask] = said;
	return said !== undefined;
}

/** Saves what the command needs saved, and says what the files hold now. */
async function save(argument: Argument): Promise<boolean> {
	for (const name of argument.save ?? []) {
		const document = await workspace.openTextDocument(Uri.parse(name));
		if (document.isDirty && !(await document.save())) {
			return false;
		}
		const hash = createHash("sha256").update(await workspace.fs.readFile(document.uri));
		argument.expect = { ...argument.expect, [name]: { version: document.version, hash: `sha256:${hash.digest("hex")}` } };
	}
	return true;
}

async function show({ code, outcome }: Answer): Promise<void> {
	for (const [from, to] of Object.entries(outcome.moved ?? {})) {
		await follow(Uri.parse(from).toString(), Uri.parse(to));
	}
	outcome.warnings?.forEach((warning) => void window.showWarningMessage(warning));
	const { message, undo } = outcome;
	const tell = code === undefined ? window.showInformationMessage : window.showWarningMessage;
	const chosen = message && (await tell(message, ...(undo === undefined ? [] : ["Undo", "Show diff"])));
	if (chosen === "Undo") {
		await commands.executeCommand("memhtml.undo", undo);
	} else if (chosen === "Show diff" && undo !== undefined) {
		await showDiff(undo);
	}
}

/** Opens the new place where the old one was open, and closes that. */
async function follow(from: string, to: Uri): Promise<void> {
	const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
	const old = tabs.filter(({ input }) => input instanceof TabInputText && input.uri.toString() === from);
	const first = old[0];
	if (first !== undefined) {
		const { viewColumn } = first.group;
		await window.showTextDocument(to, { viewColumn, preview: false, preserveFocus: !first.isActive });
		await window.tabGroups.close(old);
	}
}

async function showDiff(undo: Commit): Promise<void> {
	const { data } = await commands.executeCommand<Answer>("memhtml.show", undo);
	const side = (index: number, path: string, after: boolean): Uri | undefined =>
		path === "" ? undefined : Uri.from({ scheme, path: `/${path}`, query: JSON.stringify({ ...undo, index, after }) });
	const files = (data?.files ?? []).map(({ from, path }, i) => {
		const [before, after] = [side(i, from, false), side(i, path, true)];
		return [after ?? before, before, after];
	});
	await commands.executeCommand("vscode.changes", `memhtml ${undo.commit.slice(0, 7)}`, files);
}

/** The text of a file on one side of a commit. */
export async function readCommit(client: LanguageClient, uri: Uri): Promise<string> {
	const { index, after, ...commit } = JSON.parse(uri.query) as Commit & { index: number; after: boolean };
	const params = { command: "memhtml.show", arguments: [commit] };
	const file = (await client.sendRequest<Answer>("workspace/executeCommand", params)).data?.files?.[index];
	return (after ? file?.after : file?.before) ?? "";
}

/** Shows a memory beside one that it has to do with. */
export async function compare(given?: Argument): Promise<void> {
	const { uri, target } = given ?? (await choose("memhtml.compareWith")) ?? {};
	if (uri !== undefined && target !== undefined) {
		await commands.executeCommand("vscode.diff", Uri.parse(target), Uri.parse(uri));
	}
}
