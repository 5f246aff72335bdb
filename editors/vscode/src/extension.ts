import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { commands, type ExtensionContext, type TextDocument, window, workspace } from "vscode";
import { type LanguageClient, State } from "vscode-languageclient/node";
import { type Argument, compare, newClient, readCommit, scheme } from "./server";
import { type RootStatus, Status } from "./status";

let client: LanguageClient | undefined;

/** Starts the server where memories are: at once, or when the first one is opened. */
export async function activate(context: ExtensionContext): Promise<void> {
	const startFor = async (documents: readonly TextDocument[]): Promise<void> => {
		const folders = workspace.workspaceFolders ?? [];
		if (client === undefined && (folders.some(({ uri }) => inRoot(uri.fsPath)) || documents.some(isMemory))) {
			await start(context, (client = newClient(context)), new Status());
		}
	};
	context.subscriptions.push(workspace.onDidOpenTextDocument((document) => startFor([document])));
	await startFor(workspace.textDocuments);
}

export async function deactivate(): Promise<void> {
	await client?.stop();
}

async function start(context: ExtensionContext, server: LanguageClient, status: Status): Promise<void> {
	context.subscriptions.push(
		status.item,
		server.onNotification("memhtml/status", (told: RootStatus) => {
			status.tell(told);
		}),
		server.onDidChangeState(({ newState }) => {
			const gone = newState === State.Stopped;
			status.reset(gone ? "error" : "sync~spin", `The memhtml server is ${gone ? "not running" : "starting"}.`);
			void commands.executeCommand("setContext", "memhtml.running", newState === State.Running);
		}),
		workspace.onDidGrantWorkspaceTrust(() => server.restart()),
		workspace.registerTextDocumentContentProvider(scheme, {
			provideTextDocumentContent: (uri) => readCommit(server, uri),
		}),
		commands.registerCommand("memhtml.compareWith", (argument?: Argument) => compare(argument)),
		commands.registerCommand("memhtml.restart", () => server.restart()),
		commands.registerCommand("memhtml.showLog", () => {
			server.outputChannel.show();
		}),
	);
	try {
		await server.start();
	} catch (error) {
		status.reset("error", "The memhtml server does not start.");
		void window.showErrorMessage(`The memhtml server does not start. Is memhtml-ls installed? ${String(error)}`);
	}
}

/** A file in a memory root, or one that says itself that it is a memory. */
function isMemory(document: TextDocument): boolean {
	const local = document.languageId === "html" && document.uri.scheme === "file";
	return local && (inRoot(dirname(document.uri.fsPath)) || document.getText().includes("memhtml-"));
}

function inRoot(folder: string): boolean {
	const above = dirname(folder);
	return existsSync(join(folder, ".memhtml")) || (above !== folder && inRoot(above));
}
