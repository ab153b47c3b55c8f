// Package front has what the transports through the API server's front share: their options and the verified connection
// ([Options]), how the time of a fetch is divided ([Budget]), its one retry ([Retry]), and how token and connection are set
// up side by side ([SetUp]). How the connection is verified is in internal/dial.
package front
